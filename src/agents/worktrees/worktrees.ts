import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentConfig } from '../../config/agents/index.ts'
import type { Config } from '../../config/compose/index.ts'
import {
  findRepository,
  type GitFolders,
  type GitRunner,
  repositoryFolders,
  sharedFolder,
} from '../../config/git/index.ts'
import { rigProblems } from '../../config/rig-api/index.ts'
import { type Actor, gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { By, type Reactions } from '../../core/events/index.ts'
import { createFolder, requireNoLinks } from '../../core/folders.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { SessionRepository } from '../../work/sessions/index.ts'
import { WorktreeFetched, WorktreeReaped, WorktreeReapSkipped } from '../events.ts'
import { BasePins } from './base-pins.ts'
import type { Bundle, Wanted } from './bring.ts'
import type { Checkouts } from './checkouts.ts'
import { branchesOf, type Lends, rigRepository, SharedClones } from './clones.ts'
import { DiffReader } from './diff.ts'
import { reasonToKeep } from './keep-reason.ts'
import { LinkedWorktrees } from './linked.ts'
import { RigPlaces } from './places.ts'
import type { Repository } from './repository.ts'
import { WorktreeRows } from './rows.ts'
import type { Worktree, WorktreeDiff, WorktreeList } from './schema.ts'
import type { Snapshots } from './snapshots/snapshots.ts'
import { fetchedStart, type WorktreeStart } from './start.ts'
import type { WorktreeRow } from './table.ts'

/** The commits of a session in its worktree. */
export interface SessionWork {
  readonly rig: string
  readonly branch: string
  readonly bead: string | null
  readonly head: string
  /** The number of files that are changed and not committed. */
  readonly changes: number
  /** Their paths, in full. */
  readonly files: readonly string[]
}

/** Says whether a commit was brought to where the work of a rig ends up, in whatever form. */
type LandedCommits = (rig: string, commit: string) => boolean

/** The session that a worktree belongs to. */
interface WorktreeOwner {
  id: string
  sessionName: string
  rig: string
  workDir: string
  work: string | null
}

const SWEEP = gcPart('worktrees')

/** Interval of checks on a program that is ending. */
const RETRY_MS = 5_000

/**
 * The git worktrees of sessions whose agents declare them. What is committed in one is brought into the repository of its rig
 * when its bead is closed. A worktree is removed when its session is over and all its work is merged or pushed; otherwise it
 * is kept, listed with the reason, and left for a person to remove.
 */
export class Worktrees {
  readonly #kinds: Readonly<Record<WorktreeRow['kind'], Checkouts>>
  readonly #rows: WorktreeRows
  readonly #places: RigPlaces
  readonly #pins: BasePins
  #sweeping: Promise<void> = Promise.resolve()
  #retry: Deadline | undefined
  #isClosed = false
  #hasLanded: LandedCommits = () => false
  #startFor: (rig: string, bead: string) => WorktreeStart | undefined = () => undefined

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      reactions: Reactions
      config: Pick<Config, 'current'>
      git: GitRunner
      /** `$GC_HOME`. */
      home: string
      sessionRepository: SessionRepository
      /** Removes gc's own files from worktrees before they are inspected. */
      projectFiles: { release(folder: string): Promise<void> }
      snapshots: Snapshots
    },
  ) {
    const { store } = context
    const { git, reactions } = options
    this.#rows = new WorktreeRows(store)
    this.#places = new RigPlaces(options.config)
    const lends: Lends = (rig, objects) => this.#places.lends(rig, objects)
    this.#pins = new BasePins(git, lends)
    this.#kinds = { clone: new SharedClones(git, lends, context.report), linked: new LinkedWorktrees(git, lends) }
    reactions.on('worktrees.sessions', ['bead.closed'], (tx, { subject: bead, [By]: by }) => {
      if (bead === undefined) return
      const found = this.#rows.concerning(bead, by?.session)
      const [own] = found.filter(({ session }) => session === bead)
      if (own) tx.after(() => void this.sweep())
      else if (found.length > 0) tx.after(() => this.#bringHome(found))
    })
  }

  /** Has work count as merged that landed as other commits. */
  use(hasLanded: LandedCommits): void {
    this.#hasLanded = hasLanded
  }

  /** Has the worktrees of sessions for a bead start from these commits. */
  startFrom(startFor: (rig: string, bead: string) => WorktreeStart | undefined): void {
    this.#startFor = startFor
  }

  /** git in the repository of a rig, confined to it and to these folders; undefined where there is none. */
  rigGit(name: string, folders: Partial<GitFolders> = {}): Repository | undefined {
    const rig = this.options.config.current.rigs.find((each) => each.name === name)
    if (rig?.path === undefined) return undefined
    const place = this.#places.placeOf(rig.path)
    if (findRepository(place) === undefined) return undefined
    return rigRepository(this.options.git, place, (objects) => this.#places.lends(name, objects), folders)
  }

  /** The folders of objects in which the commits of a rig may be, those of its repository first, with what git reads for each. */
  objectsOf(name: string, session: string | null): { objects: string; read: string[] }[] {
    const { current } = this.options.config
    const rig = current.rigs.find((each) => each.name === name)
    const row = session === null ? undefined : this.#rows.find(session)
    const lends = (objects: string) => this.#places.lends(name, objects)
    const folders = [rig?.path, row?.rig === name ? row.path : undefined].flatMap((path) => path ?? [])
    const found = folders.flatMap((path) => {
      const place = this.#places.placeOf(path)
      const own = findRepository(place)
      const read = folders.flatMap((folder) => repositoryFolders(this.#places.placeOf(folder), lends))
      return own === undefined ? [] : [{ objects: join(sharedFolder(own), 'objects'), read }]
    })
    const snapshots = join(current.path, '.gc', 'snapshots', `${name}.git`, 'objects')
    return existsSync(snapshots) ? [...found, { objects: snapshots, read: [] }] : found
  }

  /** Brings what a session committed into the repository of its rig, and returns what that is; undefined without a worktree. */
  async workOf(session: string, actor: Actor): Promise<SessionWork | undefined> {
    const known = this.#rows.find(session)
    if (!known) return undefined
    this.#requireFolder(known)
    return this.#inTurn(async () => {
      await this.#fetch(known, actor)
      const { rig, branch, bead, kind } = this.#get(session)
      const { changes, files } = await this.#kinds[kind].status(this.#places.fixed(known))
      const head = (await this.rigGit(rig)?.commitOf(`refs/heads/${branch}`)) ?? ''
      return { rig, branch, bead, head, changes, files: files.map((file) => join(known.path, file)) }
    })
  }

  /** Brings commits into the repository of a session's worktree under refs of gc's own; does nothing without one. */
  bring(session: string, wanted: readonly Wanted[], bundle: Bundle): Promise<void> {
    const known = this.#rows.find(session)
    if (!known || !existsSync(known.path)) return Promise.resolve()
    requireNoLinks(this.options.config.current.path, known.path)
    return this.#inTurn(() => this.#kinds[known.kind].bring(this.#places.fixed(known), wanted, bundle))
  }

  /** Removes what a stop or a crash left behind. */
  start(): void {
    if (this.#rows.all().length > 0) void this.sweep()
  }

  async stop(): Promise<void> {
    this.#isClosed = true
    this.#retry?.cancel()
    await this.#sweeping
  }

  /** Creates the worktree of a session when it is missing and returns its folder; undefined when the agent has none. */
  async prepare(owner: WorktreeOwner, agent: AgentConfig | undefined): Promise<string | undefined> {
    const existing = this.#rows.find(owner.id)
    if (!existing && !agent?.worktree) return this.#places.requireApart(owner.workDir, agent, this.#rows.all())
    const row = existing ?? (await this.#create(owner))
    const { path: city } = this.options.config.current
    requireNoLinks(city, row.path)
    createFolder(join(city, '.gc', 'worktrees', row.rig))
    this.#places.requireLent(row)
    // What begins here may change or remove what its predecessor left.
    if (existing && existsSync(row.path)) await this.options.snapshots.take(row.session, 'restart').catch(() => {})
    const start = existsSync(row.path) ? undefined : await this.#startOf(this.#places.fixed(row))
    const home = await this.#kinds[row.kind].prepare(this.#places.fixed(row), start)
    await this.#pins.pin(this.#places.fixed(row))
    if (home !== row.home) await this.context.store.write((tx) => this.#rows.update(tx, row.session, { home }))
    return row.path
  }

  /** The commit that a new worktree starts from, once the rig has it; undefined for the branch that its work ends up in. */
  async #startOf({ rig: name, bead, base, path }: WorktreeRow): Promise<string | undefined> {
    const start = this.#startFor(name, bead ?? '')
    const incoming = `${path}.incoming`
    const rig = start && this.rigGit(name, { read: [incoming] })
    if (!rig) return undefined
    try {
      const source = start.session == null ? undefined : this.#rows.find(start.session)
      const isHere = !source || !existsSync(source.path) || (await rig.commitOf(start.commit)) !== ''
      if (!isHere) await this.#inTurn(() => this.#fetch(source, SWEEP))
      return await fetchedStart(rig, start, { base, incoming })
    } catch (error) {
      this.context.report(`${path} starts from ${base}: ${errorMessage(error)}`)
      return undefined
    }
  }

  /** The worktree of a session. */
  rowOf(session: string): WorktreeRow | undefined {
    return this.#rows.find(session)
  }

  list(): WorktreeList {
    const items = this.#rows.all().map((row) => this.#toWorktree(row))
    return { items, total: items.length, limit: this.#limit }
  }

  /** Changes in the worktree of a session, with a limited number of bytes of patch. */
  async diff(session: string, maxBytes: number): Promise<WorktreeDiff> {
    const row = this.#get(session)
    const { path, branch, base } = row
    this.#requireFolder(row)
    const compared = await this.#kinds[row.kind].compared(this.#places.fixed(row))
    const reader = await DiffReader.open(compared.repository)
    return { session, branch, base, path, ...(await reader.read(compared.base, maxBytes)) }
  }

  /** Brings what a session has committed so far into the repository of its rig. */
  async fetch(caller: Caller, session: string): Promise<Worktree> {
    const row = this.#get(session)
    this.#requireFolder(row)
    await this.#inTurn(() => this.#fetch(row, actorOf(caller)))
    return this.#toWorktree(this.#get(session))
  }

  /** Removes a worktree on request unless it holds unsaved work; with `force`, in any case. */
  async remove(caller: Caller, session: string, force: boolean): Promise<OKResponseBody> {
    const row = this.#get(session)
    if (this.#ownerState(session) !== 'over') {
      throw new AppError('conflict-wrong-state', `session ${session} is not over; close it first`)
    }
    const reason = await this.#inTurn(() => this.#reap(row, force, actorOf(caller)))
    if (reason === undefined) return { status: 'removed' }
    throw new AppError('conflict-wrong-state', `${row.path} is kept: ${reason}; save it, or remove it with force`)
  }

  /** Removes the worktree of a session that is over once its state is stored; throws when that cannot be done. */
  async removeSecured(caller: Caller, session: string): Promise<void> {
    await this.options.snapshots.take(session, 'removal', actorOf(caller))
    await this.remove(caller, session, true)
  }

  /**
   * Stores the state of the worktree of a session, if it has one, before it begins again; throws when that cannot be
   * done.
   */
  async secure(session: string, actor: Actor): Promise<void> {
    await this.options.snapshots.take(session, 'reset', actor).catch((error) => {
      const why = `gc cannot store a snapshot of its worktree: ${errorMessage(error)}`
      throw new AppError(
        'service-unavailable',
        `session ${session} is not reset, because ${why}; fix that and try again`,
      )
    })
  }

  /** Removes worktrees that are not needed any more. */
  sweep(): Promise<void> {
    return this.#inTurn(() => this.#sweep()).catch((error) => this.context.report(errorMessage(error)))
  }

  /** Serializes operations on worktrees and their repositories. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#sweeping.then(work)
    this.#sweeping = done.then(
      () => {},
      () => {},
    )
    return done
  }

  #bringHome(rows: readonly WorktreeRow[]): void {
    for (const row of rows) {
      const failed = (error: unknown) => this.context.report(`worktree of ${row.session}: ${errorMessage(error)}`)
      if (existsSync(row.path)) void this.#inTurn(() => this.#fetch(row, SWEEP)).catch(failed)
    }
  }

  async #fetch({ session }: WorktreeRow, actor: Actor): Promise<void> {
    const row = this.#rows.find(session)
    if (!row || this.#isClosed) return
    const commit = await this.#kinds[row.kind].fetch(this.#places.fixed(row))
    if (commit === null || commit === row.home) return
    await this.context.store.write((tx) => {
      this.#rows.update(tx, session, { home: commit })
      const payload = { bead_id: row.bead ?? session, path: row.path, rig: row.rig, branch: row.branch, commit }
      this.context.log.append(tx, WorktreeFetched, this.#eventFields(row), payload)
    }, actor)
  }

  #requireFolder({ path, branch, repository }: WorktreeRow): void {
    requireNoLinks(this.options.config.current.path, path)
    if (existsSync(path)) return
    const what = `the folder ${path} is not there`
    throw new AppError('conflict-wrong-state', `${what}; its commits are on ${branch} in ${repository}`)
  }

  async #sweep(): Promise<void> {
    let hasEnding = false
    for (const row of this.#rows.all()) {
      if (this.#isClosed) return
      const state = this.#ownerState(row.session)
      hasEnding ||= state === 'ending'
      if (state === 'over') {
        await this.#reap(row, false, SWEEP).catch((error) => this.#recordSkipped(row, errorMessage(error), SWEEP))
      }
    }
    this.#retry?.cancel()
    if (hasEnding) this.#retry = this.context.deadlines.after(RETRY_MS, () => void this.sweep())
  }

  /** Removes a worktree, or returns why it is kept. */
  async #reap(row: WorktreeRow, force: boolean, actor: Actor): Promise<string | undefined> {
    const { path, branch } = row
    const kind = this.#kinds[row.kind]
    let merged = false
    await this.options.projectFiles.release(path)
    if (existsSync(path)) await this.#fetch(row, actor).catch((error) => (force ? undefined : Promise.reject(error)))
    if (existsSync(path) && !force) {
      const status = await kind.status(this.#places.fixed(row))
      merged = status.merged || (await this.#isLanded(row))
      const reason = reasonToKeep({ ...status, merged })
      if (reason !== undefined) return this.#recordSkipped(row, reason, actor)
    }
    await this.#snapshot(row, force, actor)
    await kind.remove(this.#places.fixed(row), force)
    await this.#pins.unpin(this.#places.fixed(row))
    await this.options.snapshots.forget(row)
    if (merged) await this.#forget(row)
    await this.context.store.write((tx) => {
      this.#rows.remove(tx, row.session)
      const payload = { bead_id: row.bead ?? row.session, path, rig: row.rig, branch }
      this.context.log.append(tx, WorktreeReaped, this.#eventFields(row), payload)
    }, actor)
    return undefined
  }

  /** True if each branch of a session landed unchanged. */
  async #isLanded({ rig, branch }: WorktreeRow): Promise<boolean> {
    const repository = this.rigGit(rig)
    if (!repository) return false
    const heads = [...(await branchesOf(repository, branch)).values()]
    return heads.length > 0 && heads.every((head) => this.#hasLanded(rig, head))
  }

  /** Stores the state of a worktree before it is removed; without that, only `force` removes it. */
  async #snapshot({ session, path }: WorktreeRow, force: boolean, actor: Actor): Promise<void> {
    if (!existsSync(path)) return
    await this.options.snapshots.take(session, 'removal', actor).catch((error) => {
      if (force) return
      throw new AppError(
        'service-unavailable',
        `${path} is kept, because gc cannot store a snapshot of it: ${errorMessage(error)}; fix that and try again, or remove it with force, which loses what is only there`,
      )
    })
  }

  /** Removes branches whose work is elsewhere. */
  async #forget(row: WorktreeRow): Promise<void> {
    const { branch, repository, rig: name } = this.#places.fixed(row)
    const rig = rigRepository(this.options.git, repository, (objects) => this.#places.lends(name, objects))
    for (const name of (await branchesOf(rig, branch)).keys()) await rig.try('branch', '-q', '-D', name)
  }

  /** Records why a worktree is kept; each reason is recorded once. */
  async #recordSkipped(row: WorktreeRow, reason: string, actor: Actor): Promise<string> {
    if (row.kept === reason) return reason
    await this.context.store.write((tx) => {
      this.#rows.update(tx, row.session, { kept: reason })
      const payload = { bead_id: row.bead ?? row.session, path: row.path, rig: row.rig, reason }
      this.context.log.append(tx, WorktreeReapSkipped, this.#eventFields(row), payload)
    }, actor)
    return reason
  }

  async #create({ id, sessionName, rig: name, work }: WorktreeOwner): Promise<WorktreeRow> {
    const rig = this.options.config.current.rigs.find((candidate) => candidate.name === name)
    if (rig?.path === undefined)
      throw new AppError('service-unavailable', `there is no rig ${name} to make a worktree of`)
    await this.#ensureCapacity()
    this.#places.requireLent({ rig: name, repository: rig.path })
    const place = this.#places.placeOf(rig.path)
    this.#requireUsable(name, place, rig.defaultBranch)
    const lends = (objects: string) => this.#places.lends(name, objects)
    const base = await rigRepository(this.options.git, place, lends).base(rig.defaultBranch)
    const row: WorktreeRow = {
      session: id,
      rig: name,
      repository: rig.path,
      path: join(this.options.config.current.path, '.gc', 'worktrees', name, sessionName),
      branch: `gc/${work ? `${work}-` : ''}${sessionName}`,
      base,
      bead: work || null,
      kind: 'clone',
      home: null,
      createdAt: this.context.clock.now(),
      kept: null,
    }
    this.#places.requireUnused(row.path, this.#rows.all())
    await this.context.store.write((tx) => this.#rows.add(tx, row))
    return row
  }

  /** Throws what keeps a rig from having worktrees, with what to do. */
  #requireUsable(name: string, place: string, defaultBranch: string | undefined): void {
    const around = { name, home: this.options.home, defaultBranch, hasWorktrees: true, hasLfs: true }
    const wrong = rigProblems(place, around).find(({ prevents }) => prevents !== undefined)
    if (wrong) throw new AppError('service-unavailable', wrong.text)
  }

  async #ensureCapacity(): Promise<void> {
    if (this.#rows.all().length < this.#limit) return
    await this.sweep()
    const count = this.#rows.all().length
    if (count < this.#limit) return
    throw new AppError(
      'service-unavailable',
      `there are ${count} worktrees, and worktree_limit is ${this.#limit}; see gc worktree list and remove some`,
    )
  }

  get #limit(): number {
    return this.options.config.current.session.worktreeLimit
  }

  /** The state of a worktree's session: it continues, its program is still ending, or it is over. */
  #ownerState(session: string): 'live' | 'ending' | 'over' {
    const row = this.options.sessionRepository.find(session)
    if (!row) return 'over'
    if (row.state !== 'closed') return 'live'
    return row.hostKey === null ? 'over' : 'ending'
  }

  #toWorktree(row: WorktreeRow): Worktree {
    return toWorktree(row, this.#ownerState(row.session) !== 'over')
  }

  #eventFields({ session, bead }: WorktreeRow) {
    return { subject: bead ?? session, session_id: session }
  }

  #get(session: string): WorktreeRow {
    const row = this.#rows.find(session)
    if (row) return row
    throw new AppError('session-not-found', `there is no worktree of session ${session}; see gc worktree list`)
  }
}

/** A worktree as the API shows it. */
function toWorktree(row: WorktreeRow, inUse: boolean): Worktree {
  const { session, rig, path, branch, bead, createdAt, home, kept } = row
  return {
    ...{ session, rig, path, branch, created_at: toTimestamp(createdAt), in_use: inUse },
    ...(bead !== null && { bead_id: bead }),
    ...(home !== null && { commit: home }),
    ...(!inUse && kept !== null && { kept }),
  }
}
