import { statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { toTimestamp } from '../../core/clock.ts'
import { formatDuration, parseDuration } from '../../core/durations.ts'
import { AppError } from '../../core/errors.ts'
import type { Store } from '../../core/store/index.ts'
import { rejectMarkers } from '../../core/text/index.ts'
import { unknownAction } from '../../http/actions.ts'
import { actorOf, answering, partOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { Config } from '../compose/index.ts'
import { findFixed, writtenByAgents } from '../confinement/index.ts'
import { IMPLICIT_AGENTS } from '../declare/index.ts'
import { type GitRunner, readRepositoryStatus } from '../git/index.ts'
import { LAND_DEFAULTS, type LandAutoConfig } from '../land/index.ts'
import { changeLand, type LandChanges, type RigConfig } from '../rigs/index.ts'
import type { Suspensions } from '../suspensions/index.ts'
import { type RigProblem, rigProblems } from './problems.ts'
import type { RigClones } from './rig-clones.ts'
import type {
  GitStatus,
  RigActed,
  RigCreate,
  RigCreated,
  RigLand,
  RigLandUpdate,
  RigList,
  RigQuery,
  RigResponse,
  RigUpdate,
} from './schema.ts'

/** The actions on a declared rig. */
export const RIG_ACTIONS = ['suspend', 'resume', 'restart'] as const

const STATUS = { created: 201, accepted: 202, exists: 200 } as const

/** Number of repositories that are read together. */
const MAX_CONCURRENT_STATUSES = 8

/** Session as shown by a rig. */
export interface RigSession {
  readonly running: boolean
  /** Time of its program's last output, in milliseconds. */
  readonly lastActivity?: number
}

/** Sessions as rigs need them. Every agent is named by its qualified name. */
export interface RigSessions {
  /** Every agent's open sessions, by agent. */
  all(): ReadonlyMap<string, readonly RigSession[]>
  /** Ends every session of these agents and returns the names of those that ended and of those that could not. */
  restartAll(agents: readonly string[], caller: Caller): Promise<{ killed: string[]; failed: string[] }>
}

/** The folders a city works on. */
export class Rigs {
  constructor(
    private readonly store: Store,
    private readonly config: Config,
    private readonly suspensions: Suspensions,
    private readonly sessions: RigSessions,
    private readonly git: GitRunner,
    private readonly clones: RigClones,
    /** `$GC_HOME`. */
    private readonly home: string,
  ) {}

  async list({ git }: RigQuery): Promise<RigList> {
    const { rigs } = this.config.current
    const statuses: (GitStatus | undefined)[] = []
    for (let start = 0; git && start < rigs.length; start += MAX_CONCURRENT_STATUSES) {
      const group = rigs.slice(start, start + MAX_CONCURRENT_STATUSES)
      statuses.push(...(await Promise.all(group.map((rig) => this.#gitStatus(rig)))))
    }
    const sessions = this.sessions.all()
    return { items: rigs.map((rig, index) => this.#toResponse(rig, sessions, statuses[index])), total: rigs.length }
  }

  async get(name: string, { git }: RigQuery): Promise<RigResponse> {
    const rig = this.config.rig(name)
    const status = git ? await this.#gitStatus(rig) : undefined
    return this.#toResponse(rig, this.sessions.all(), status)
  }

  /** Adds an existing folder, or a repository that is cloned first; the response's status says which. */
  async create(caller: Caller, body: RigCreate, response: { status?: number }): Promise<RigCreated> {
    const { git_url } = body
    rejectMarkers({ git_url })
    const created = await (git_url ? this.clones.accept(caller, { ...body, git_url }) : this.#declare(caller, body))
    response.status = STATUS[created.status]
    return created
  }

  async #declare(caller: Caller, body: RigCreate): Promise<RigCreated> {
    const { name, path, prefix, default_branch, request_id } = body
    const known = this.config.current.rigs.find((rig) => rig.name === name)
    const created: RigCreated = { status: 'created', rig: name, ...(request_id && { request_id }) }
    if (caller.request?.isRetry && known) {
      await this.config.recordAgain(answering(caller, created), [])
      return created
    }
    if (!path) {
      const fieldErrors = [{ location: 'body.path', message: 'is required without git_url' }]
      throw new AppError('validation-failed', 'path is required: the folder to work on', { fieldErrors })
    }
    const folder = this.#declaredPath(name, path)
    const draft = {
      path: folder,
      ...(prefix && { prefix }),
      ...(default_branch && { defaultBranch: default_branch }),
    }
    const warnings = this.#problems({ name, path: resolve(this.config.path, folder), defaultBranch: default_branch })
    const answer: RigCreated = {
      ...created,
      ...(warnings.length > 0 && { warnings: warnings.map(({ text }) => text) }),
    }
    if (known?.path !== undefined && !isFolder(known.path)) {
      const moved: RigCreated = { ...answer, status: 'exists' }
      await this.config.changeRig(answering(caller, moved), name, draft)
      return moved
    }
    await this.config.addRig(answering(caller, answer), { name, ...draft })
    return answer
  }

  /** Changes what is declared of a rig. */
  async change(
    caller: Caller,
    name: string,
    { path, prefix, default_branch, suspended }: RigUpdate,
  ): Promise<OKResponseBody> {
    this.config.rig(name)
    const updated = { status: 'updated' }
    await this.config.changeRig(answering(caller, updated), name, {
      ...(path && { path: this.#declaredPath(name, path) }),
      ...(prefix && { prefix }),
      ...(default_branch && { defaultBranch: default_branch }),
      ...(suspended !== undefined && { suspendedOnStart: suspended }),
    })
    return updated
  }

  /** The landing settings of a rig with the defaults filled in. */
  land(name: string): RigLand {
    const { land } = this.config.rig(name)
    const { check, checkTimeout, turnTimeout, confirmRed, checkEarly, protectedPaths, deleteBranch, hold, ...rest } =
      land ?? LAND_DEFAULTS
    const { auto, generated, pr, mode, target, remote, batch, strategy, parallel, tries, sign, forge } = rest
    return {
      ...{ rig: name, declared: land !== undefined, mode, remote, batch, strategy, parallel, tries, sign },
      ...(target !== undefined && { target }),
      ...(check && { check: [...check] }),
      ...{ check_timeout: durationText(checkTimeout), turn_timeout: durationText(turnTimeout) },
      ...{
        confirm_red: confirmRed,
        check_early: checkEarly,
        delete_branch: deleteBranch,
        protected_paths: [...protectedPaths],
      },
      generated: generated.map(({ glob, command }) => ({ glob, command: [...command] })),
      hold: hold.large === undefined ? [] : [`large:${hold.large}`],
      pr: { labels: [...pr.labels], draft: pr.draft },
      ...(auto && { auto: autoOf(auto) }),
      ...(forge && { forge }),
    }
  }

  /** Changes `[rigs.land]` of a rig; what is absent stays, and null removes a key. */
  async changeLand(caller: Caller, name: string, changes: RigLandUpdate): Promise<OKResponseBody> {
    this.config.rig(name)
    const written: LandChanges = changes
    const updated = { status: 'updated' }
    await this.config.edit(answering(caller, updated), (base) => changeLand(base, name, written))
    return updated
  }

  /** Removes a rig and its agents from the configuration; its folder and its work stay. */
  async remove(caller: Caller, name: string): Promise<OKResponseBody> {
    const agents = this.#agents(name)
    const deleted = { status: 'deleted' }
    await this.config.removeRig(answering(caller, deleted), name)
    await this.store.write(
      (tx) => {
        this.suspensions.delete(tx, 'rig', name)
        for (const agent of agents) this.suspensions.delete(tx, 'agent', agent)
      },
      actorOf(partOf(caller)),
    )
    return deleted
  }

  /** Suspends or resumes a rig, or ends its sessions so that they start afresh. */
  async act(caller: Caller, name: string, action: string): Promise<RigActed> {
    const validAction = RIG_ACTIONS.find((candidate) => candidate === action)
    if (!validAction) throw unknownAction(action, RIG_ACTIONS)
    const rig = this.config.rig(name)
    if (validAction === 'restart') return this.#restart(caller, name)
    const suspended = validAction === 'suspend'
    return this.store.write((tx) => {
      this.suspensions.set(tx, 'rig', name, suspended, rig.suspendedOnStart)
      return { status: 'ok', action, rig: name }
    }, actorOf(caller))
  }

  async #restart(caller: Caller, name: string): Promise<RigActed> {
    const { killed, failed } = await this.sessions.restartAll(this.#agents(name), caller)
    const status = failed.length === 0 ? 'ok' : killed.length > 0 ? 'partial' : 'failed'
    return { status, action: 'restart', rig: name, killed, failed }
  }

  #agents(rig: string): string[] {
    return this.config.current.agents.filter(({ dir }) => dir === rig).map(({ qualified }) => qualified)
  }

  /** Number of agents declared for it. */
  #declaredAgents(rig: string): number {
    const { agents } = this.config.current
    return agents.filter(({ dir, block }) => dir === rig && block.layer.name !== IMPLICIT_AGENTS).length
  }

  /** A folder as it is declared: relative to the city when it is inside it, so that both can be moved. */
  #declaredPath(name: string, path: string): string {
    const city = this.config.path
    const folder = resolve(city, path)
    if (!isFolder(folder)) {
      throw new AppError('invalid-request', `${folder} is not a folder; create it first, or give another path`)
    }
    const wrong = this.#problems({ name, path: folder }).find(({ prevents }) => prevents === 'rig')
    if (wrong) throw new AppError('invalid-request', wrong.text)
    return folder === city || folder.startsWith(`${city}/`) ? relative(city, folder) || '.' : folder
  }

  #problems({ name, path, defaultBranch }: Pick<RigConfig, 'name' | 'path' | 'defaultBranch'>): RigProblem[] {
    const { current } = this.config
    const place = path === undefined ? undefined : findFixed(path, writtenByAgents(current))
    if (place === undefined) return []
    const hasWorktrees = current.agents.some(({ dir, worktree }) => dir === name && worktree)
    return rigProblems(place, { name, home: this.home, defaultBranch, hasWorktrees, hasLfs: this.git.hasLfs })
  }

  #gitStatus({ path }: RigConfig): Promise<GitStatus | undefined> {
    const place = path === undefined ? undefined : findFixed(path, writtenByAgents(this.config.current))
    return place !== undefined && isFolder(place) ? readRepositoryStatus(place, this.git) : Promise.resolve(undefined)
  }

  #toResponse(rig: RigConfig, all: ReturnType<RigSessions['all']>, git: GitStatus | undefined): RigResponse {
    const agents = this.#agents(rig.name)
    const sessions = agents.flatMap((agent) => all.get(agent) ?? [])
    const active = lastActivityOf(sessions)
    const problems = this.#problems(rig)
    return {
      name: rig.name,
      path: rig.path ?? '',
      suspended: this.suspensions.isRigSuspended(this.config.current, rig),
      prefix: rig.prefix,
      ...(rig.defaultBranch !== undefined && { default_branch: rig.defaultBranch }),
      agent_count: this.#declaredAgents(rig.name),
      running_count: sessions.filter(({ running }) => running).length,
      ...(active > 0 && { last_activity: toTimestamp(active) }),
      ...(git && { git }),
      ...(problems.length > 0 && { problems: problems.map(({ text }) => text) }),
    }
  }
}

const autoOf = ({ check, maxLines, paths }: LandAutoConfig): RigLand['auto'] => ({
  check,
  ...(maxLines !== undefined && { max_lines: maxLines }),
  ...(paths && { paths: [...paths] }),
})

/** A duration as a file declares it, without rounding. */
function durationText(ms: number): string {
  const short = formatDuration(ms)
  return parseDuration(short) === ms ? short : `${ms}ms`
}

/** True if a path is a folder; one that cannot be read, or is too long, is none. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}

const lastActivityOf = (sessions: readonly RigSession[]): number =>
  sessions.reduce((newest, session) => Math.max(newest, session.lastActivity ?? 0), 0)
