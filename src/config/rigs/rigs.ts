import { statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { type Attempt, firstAttempt } from '../../core/replays/replays.ts'
import type { Store } from '../../core/store.ts'
import { unknownAction } from '../../http/actions.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { RigConfig } from '../city-config.ts'
import type { Config } from '../config.ts'
import type { GitRunner } from '../git/git-runner.ts'
import { readRepositoryStatus } from '../git/status.ts'
import type { Suspensions } from '../suspensions/suspensions.ts'
import type { RigClones } from './rig-clones.ts'
import type { GitStatus, RigActed, RigCreate, RigCreated, RigList, RigQuery, RigResponse, RigUpdate } from './schema.ts'

/** What can be done to a declared rig. */
export const RIG_ACTIONS = ['suspend', 'resume', 'restart'] as const

const STATUS = { created: 201, accepted: 202, exists: 200 } as const

/** How many repositories are looked at at once. */
const AT_ONCE = 8

/** What a rig shows of a session. */
export interface RigSession {
  readonly running: boolean
  /** When its program last showed something, in milliseconds. */
  readonly lastActivity?: number
}

/** What rigs need of sessions. Every agent is named by its qualified name. */
export interface RigSessions {
  /** Every agent's open sessions, by agent. */
  all(): ReadonlyMap<string, readonly RigSession[]>
  /** Ends every session of these agents and returns the names of those that ended and of those that could not. */
  restartAll(agents: readonly string[]): Promise<{ killed: string[]; failed: string[] }>
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
  ) {}

  async list({ git }: RigQuery): Promise<RigList> {
    const { rigs } = this.config.current
    const states: (GitStatus | undefined)[] = []
    for (let at = 0; git && at < rigs.length; at += AT_ONCE) {
      states.push(...(await Promise.all(rigs.slice(at, at + AT_ONCE).map((rig) => this.#git(rig)))))
    }
    const sessions = this.sessions.all()
    return { items: rigs.map((rig, at) => this.#shown(rig, sessions, states[at])), total: rigs.length }
  }

  async get(name: string, { git }: RigQuery): Promise<RigResponse> {
    const rig = this.config.rig(name)
    const state = git ? await this.#git(rig) : undefined
    return this.#shown(rig, this.sessions.all(), state)
  }

  /** Adds a folder that is there, or a repository that is cloned first; `reply` gets the status that tells which. */
  async create(body: RigCreate, reply: { status?: number }, attempt = firstAttempt): Promise<RigCreated> {
    const { git_url } = body
    const created = await (git_url ? this.clones.accept({ ...body, git_url }) : this.#declare(body, attempt))
    reply.status = STATUS[created.status]
    return created
  }

  async #declare(body: RigCreate, attempt: Attempt): Promise<RigCreated> {
    const { name, path, prefix, default_branch, request_id } = body
    const created: RigCreated = { status: 'created', rig: name, ...(request_id && { request_id }) }
    if (attempt.isRetry && this.config.current.rigs.some((rig) => rig.name === name)) return created
    if (!path) {
      const faults = [{ location: 'body.path', message: 'is required without git_url' }]
      throw new AppError('validation-failed', 'path is required: the folder to work on', { fieldErrors: faults })
    }
    const folder = this.#folder(path)
    const draft = {
      name,
      path: folder,
      ...(prefix && { prefix }),
      ...(default_branch && { defaultBranch: default_branch }),
    }
    await this.config.addRig(draft, attempt)
    return created
  }

  /** Changes what is declared of a rig. */
  async change(name: string, { path, prefix, default_branch, suspended }: RigUpdate): Promise<OKResponseBody> {
    this.config.rig(name)
    await this.config.changeRig(name, {
      ...(path && { path: this.#folder(path) }),
      ...(prefix && { prefix }),
      ...(default_branch && { defaultBranch: default_branch }),
      ...(suspended !== undefined && { suspendedOnStart: suspended }),
    })
    return { status: 'updated' }
  }

  /** Takes a rig and its agents out of the configuration; its folder and its work stay. */
  async remove(name: string): Promise<OKResponseBody> {
    const agents = this.#agents(name)
    await this.config.removeRig(name)
    await this.store.write((tx) => {
      this.suspensions.delete(tx, 'rig', name)
      for (const agent of agents) this.suspensions.delete(tx, 'agent', agent)
    })
    return { status: 'deleted' }
  }

  /** Suspends or resumes a rig, or ends its sessions so that they start afresh. */
  async act(name: string, action: string): Promise<RigActed> {
    const known = RIG_ACTIONS.find((one) => one === action)
    if (!known) throw unknownAction(action, RIG_ACTIONS)
    const rig = this.config.rig(name)
    if (known === 'restart') return this.#restart(name)
    const suspended = known === 'suspend'
    await this.store.write((tx) => this.suspensions.set(tx, 'rig', name, suspended, rig.suspendedOnStart))
    return { status: 'ok', action, rig: name }
  }

  async #restart(name: string): Promise<RigActed> {
    const { killed, failed } = await this.sessions.restartAll(this.#agents(name))
    const status = failed.length === 0 ? 'ok' : killed.length > 0 ? 'partial' : 'failed'
    return { status, action: 'restart', rig: name, killed, failed }
  }

  #agents(rig: string): string[] {
    return this.config.current.agents.filter(({ dir }) => dir === rig).map(({ qualified }) => qualified)
  }

  /** A folder as it is written down: from the city when it is in it, so that it moves along. Refuses what is none. */
  #folder(path: string): string {
    const city = this.config.path
    const at = resolve(city, path)
    if (isFolder(at)) {
      return at === city || at.startsWith(`${city}/`) ? relative(city, at) || '.' : at
    }
    throw new AppError('invalid-request', `${at} is not a folder; make it first, or give another path`)
  }

  #git({ path }: RigConfig): Promise<GitStatus | undefined> {
    return isFolder(path) ? readRepositoryStatus(path, this.git) : Promise.resolve(undefined)
  }

  #shown(rig: RigConfig, all: ReturnType<RigSessions['all']>, git: GitStatus | undefined): RigResponse {
    const agents = this.#agents(rig.name)
    const sessions = agents.flatMap((agent) => all.get(agent) ?? [])
    const active = lastActivity(sessions)
    return {
      name: rig.name,
      path: rig.path,
      suspended: this.suspensions.isRigSuspended(this.config.current, rig),
      prefix: rig.prefix,
      ...(rig.defaultBranch !== undefined && { default_branch: rig.defaultBranch }),
      agent_count: agents.length,
      running_count: sessions.filter(({ running }) => running).length,
      ...(active > 0 && { last_activity: toTimestamp(active) }),
      ...(git && { git }),
    }
  }
}

/** A path that cannot be looked at, be it too long or closed to us, is no folder either. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}

const lastActivity = (sessions: readonly RigSession[]): number =>
  sessions.reduce((newest, session) => Math.max(newest, session.lastActivity ?? 0), 0)
