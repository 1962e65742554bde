import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { Config } from '../../../config/compose/index.ts'
import { type GitRunner, repositoryFolders, workingFolders } from '../../../config/git/index.ts'
import { type Actor, gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { toTimestamp } from '../../../core/clock.ts'
import type { Deadline } from '../../../core/deadlines.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import { By } from '../../../core/events/index.ts'
import { createFolder, requireNoLinks } from '../../../core/folders.ts'
import { Signal } from '../../../core/signal.ts'
import type { SessionHost } from '../../../host/client/index.ts'
import { actorOf } from '../../../http/actor-of.ts'
import type { Caller } from '../../../http/caller.ts'
import type { SessionRepository } from '../../../work/sessions/index.ts'
import { WorktreeRestored, WorktreeSnapshotFailed, WorktreeSnapshotted } from '../../events.ts'
import { BasePins } from '../base-pins.ts'
import { CHECKED, rigRepository } from '../clones.ts'
import { DiffReader } from '../diff.ts'
import { RigPlaces } from '../places.ts'
import type { Repository } from '../repository.ts'
import { WorktreeRows } from '../rows.ts'
import type { WorktreeRow } from '../table.ts'
import { FolderIndex, type FolderState, isDiskFull } from './folder-index.ts'
import type {
  RestoredSnapshot,
  SnapshotDiff,
  SnapshotRestore,
  WorktreeSnapshot,
  WorktreeSnapshotList,
} from './schema.ts'
import { RESTORED, SnapshotRepository, type StoredSnapshot } from './snapshot-repository.ts'
import { readSource, type WorktreeSource } from './source.ts'

/** Trigger of a snapshot; `activity` after work of its session. */
export type SnapshotReason = 'activity' | 'removal' | 'reset' | 'restart'

/** The commit that a session works on, once gc has it with its history. */
export interface CopiedCommit {
  readonly session: string
  readonly rig: string
  readonly commit: string
  readonly branch: string | undefined
  /** gc's own repository of the rig, with the objects of the folder beside its own. */
  readonly repository: Repository
  /** The same, to change refs of gc's own. */
  readonly own: Repository
  /** The commit of a branch of the rig; empty where it has none of that name. */
  tipOf(branch: string): Promise<string>
}

/** A folder that is not a worktree of gc's, in which a session works. */
export type SessionFolder = Pick<WorktreeRow, 'session' | 'rig'> & { readonly folder: string }

/** State of a worktree since gc's first look. */
interface Watched {
  readonly repository: SnapshotRepository
  readonly index: FolderIndex
  /** Its snapshots, oldest first. */
  stored: readonly Pick<StoredSnapshot, 'session' | 'number' | 'tree' | 'commit' | 'takenAt'>[]
  /** Fetched refs of the clone when its base was pinned. */
  pinned: string
  /** The commits that were copied last. */
  copied: string
  /** Reason the history of its commit could not be copied. */
  withoutHistory: string | undefined
}

interface CopiedSource extends Pick<CopiedCommit, 'session' | 'rig'> {
  readonly source: WorktreeSource
  readonly repository: SnapshotRepository
  /** The folders that git may read besides. */
  readonly read: readonly string[]
}

interface Look {
  readonly watched: Watched
  readonly state: FolderState
  readonly commit: string | undefined
  /** Further commits and stashes there since the last look. */
  readonly others: readonly string[]
  readonly branch: string | undefined
  readonly withoutHistory: string | undefined
}

const SNAPSHOTS = gcPart('snapshots')
/** Delay after the start of a city before old snapshots are dropped. */
const FIRST_SWEEP_MS = 30_000
/** A session that begins to do something is given time to do it. */
const DELAY_MS = 2_000
const KEPT = 50
const KEPT_MS = 30 * 24 * 3_600_000
const SWEEP_MS = 24 * 3_600_000
const MAX_LEFT_OUT = 50
const MAX_LISTED = 500
const SESSION = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/**
 * Snapshots of the worktrees of sessions, in a bare repository of gc's own for each rig. A worktree is looked at after its
 * session did something, and before it is removed, reset or used again.
 */
export class Snapshots {
  readonly #rows: WorktreeRows
  readonly #places: RigPlaces
  readonly #pins: BasePins
  readonly #watched = new Map<string, Watched>()
  readonly #repositories = new Map<string, SnapshotRepository>()
  readonly #due = new Map<string, { deadline: Deadline; at: number }>()
  readonly #lookedAt = new Map<string, number>()
  /** Worktrees in which things happened while no supervisor ran. */
  readonly #missed = new Set<string>()
  readonly #failures = new Map<string, string>()
  #last: Promise<void> = Promise.resolve()
  #unsubscribe: (() => void)[] = []
  #sweep: Deadline | undefined
  #storedSinceCollect = 0
  #isClosed = false
  #onCommit: ((copied: CopiedCommit) => Promise<void>) | undefined
  readonly #looked = new Signal<[session: string]>()

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      config: Pick<Config, 'current'>
      git: GitRunner
      sessionRepository: Pick<SessionRepository, 'find'>
      host: Pick<SessionHost, 'onOutput'>
      name: string
      /** The paths of a folder in which gc wrote. */
      projectFiles: { pathsIn(folder: string): string[] }
    },
  ) {
    this.#rows = new WorktreeRows(context.store)
    this.#places = new RigPlaces(options.config)
    this.#pins = new BasePins(options.git, (rig, objects) => this.#places.lends(rig, objects))
  }

  /** Looks at what sessions did while no supervisor ran, and from now on at what they do. */
  start(): void {
    const { log } = this.context
    const { host, name } = this.options
    this.#unsubscribe = [
      host.onOutput(undefined, (key) => {
        const [city, session] = key.split('/')
        if (city === name && session !== undefined) this.#schedule(session)
      }),
      log.subscribe((event) => {
        const ended = event.type.startsWith('session.') ? event.session_id : undefined
        for (const session of new Set([event[By]?.session, ended])) if (session) this.#schedule(session)
      }),
    ]
    for (const { session } of this.#rows.all()) {
      this.#missed.add(session)
      this.#schedule(session)
    }
    this.#scheduleSweep(FIRST_SWEEP_MS)
  }

  async stop(): Promise<void> {
    this.#isClosed = true
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    this.#sweep?.cancel()
    for (const { deadline } of this.#due.values()) deadline.cancel()
    this.#due.clear()
    await this.#last
  }

  /** Calls the listener with every commit that a session is found on; its worktree is not removed. */
  watchCommits(listener: (copied: CopiedCommit) => Promise<void>): void {
    this.#onCommit = listener
  }

  /** Calls the listener after each look at the worktree of a session. */
  readonly onLooked = this.#looked.listen

  /** Stores the state of the worktree of a session, and shows the commit that it is on also when that is known. */
  look(session: string): Promise<void> {
    return this.#inTurn(() => this.#take(session, 'activity', SNAPSHOTS, true))
  }

  /** Copies the commit that a folder is on which is not a worktree of gc's, and shows it to who watches commits. */
  copyFolder({ session, rig, folder }: SessionFolder): Promise<void> {
    return this.#inTurn(async () => {
      const place = this.#places.placeOf(folder)
      const source = readSource(place)
      if (source.head === undefined) return
      const repository = await this.#prepared(rig, source.head)
      const lends = (objects: string) => this.#places.lends(rig, objects)
      const rigFolders = repositoryFolders(this.#rigPlace(rig) ?? place, lends)
      const read = [...repositoryFolders(place, lends), ...rigFolders]
      const ofRig = () => Promise.resolve([])
      await repository.copyHistory(session, source.head, { ...source, logged: [], ofRig }, read)
      await this.#show({ session, rig, source, repository, read })
    })
  }

  /** gc's own repository of a rig, to read what sessions committed there; undefined while there is none. */
  repositoryOf(rig: string): Repository | undefined {
    const repository = this.#repository(rig)
    return repository.exists ? repository.at({}) : undefined
  }

  /** Changes refs in gc's own repository of a rig; does nothing where there is none. */
  changeRefs(rig: string, lines: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      const { exists, own } = this.#repository(rig)
      if (exists)
        await own.read(['update-ref', '--stdin'], { input: Buffer.from(lines.map((line) => `${line}\n`).join('')) })
    })
  }

  /** Stores the state of a worktree if it changed; throws when that cannot be done. */
  take(session: string, reason: SnapshotReason, actor: Actor = SNAPSHOTS): Promise<void> {
    return this.#inTurn(() => this.#take(session, reason, actor))
  }

  /** Forgets a worktree that is gone; its snapshots stay. */
  forget({ session, rig }: Pick<WorktreeRow, 'session' | 'rig'>): Promise<void> {
    this.#due.get(session)?.deadline.cancel()
    this.#due.delete(session)
    return this.#inTurn(async () => {
      this.#watched.delete(session)
      this.#lookedAt.delete(session)
      this.#failures.delete(session)
      await this.#repository(rig).forgetWorktree(session)
    })
  }

  /** The snapshots of a session, or of all. */
  async list(session?: string): Promise<WorktreeSnapshotList> {
    if (session !== undefined) requireSession(session)
    const all = await Promise.all(
      this.#rigs().map(async (rig) => (await this.#repository(rig).list(session)).map((each) => toWire(rig, each))),
    )
    const found = all.flat()
    if (session !== undefined && found.length === 0) this.#requireKnown(session)
    const items = found.sort((a, b) => b.taken_at.localeCompare(a.taken_at) || b.number - a.number)
    return { items: items.slice(0, MAX_LISTED), total: items.length }
  }

  /**
   * Changes of a snapshot in its commit, or since then up to `other`: another snapshot of the session, or the worktree.
   */
  async diff(session: string, number: number, other: string | undefined, maxBytes: number): Promise<SnapshotDiff> {
    const { rig, snapshot } = await this.#find(session, number)
    const repository = this.#repository(rig)
    const id = idOf(snapshot)
    const reader = DiffReader.plain(repository.at({}))
    if (other === undefined) {
      const from = snapshot.commit ?? (await repository.emptyTree())
      const changes = await reader.between(from, snapshot.tree, maxBytes)
      return { from: snapshot.commit ?? '', to: id, ...changes }
    }
    if (other === 'worktree') {
      const { state } = await this.#inTurn(() => this.#look(this.#get(session), false))
      return { from: id, to: 'worktree', ...(await reader.between(snapshot.tree, state.tree, maxBytes)) }
    }
    const later = (await this.#find(session, Number(other))).snapshot
    return { from: id, to: idOf(later), ...(await reader.between(snapshot.tree, later.tree, maxBytes)) }
  }

  /** Puts a snapshot into a new branch of its rig or into a new folder; what is there already is never changed. */
  async restore(caller: Caller, session: string, number: number, to: SnapshotRestore): Promise<RestoredSnapshot> {
    const { folder, branch } = to
    if (folder !== undefined && branch !== undefined) {
      throw new AppError('invalid-request', 'name a branch or a folder, not both')
    }
    if (folder !== undefined && (caller.kind === 'session' || caller.kind === 'process')) {
      throw new AppError('forbidden', 'forbidden: a session can restore into a branch only; leave `folder` out')
    }
    const { rig, snapshot } = await this.#find(session, number)
    const place =
      folder === undefined
        ? await this.#inTurn(() => this.#restoreBranch(rig, snapshot, branch ?? `gc/restored/${session}-${number}`))
        : await this.#inTurn(() => this.#restoreFolder(rig, snapshot, folder))
    const answer = { snapshot: idOf(snapshot), rig, ...place }
    await this.context.store.write((tx) => {
      const about = { subject: snapshot.bead ?? session, session_id: session }
      this.context.log.append(tx, WorktreeRestored, about, answer)
    }, actorOf(caller))
    return answer
  }

  /** Drops what is too old and packs the rest. */
  sweep(): Promise<void> {
    return this.#inTurn(() => this.#dropOld())
  }

  #schedule(session: string): void {
    const { clock, deadlines } = this.context
    const { config } = this.options
    const interval = config.current.session.snapshotInterval
    const due = this.#due.get(session)
    // One that was set under a longer interval is set again.
    if (this.#isClosed || (due && due.at <= clock.now() + interval) || !this.#rows.find(session)) return
    due?.deadline.cancel()
    const since = clock.now() - (this.#lookedAt.get(session) ?? 0)
    const delay = Math.min(interval, Math.max(DELAY_MS, interval - Math.max(0, since)))
    const deadline = deadlines.after(delay, () => this.#onDue(session))
    this.#due.set(session, { deadline, at: clock.now() + delay })
  }

  #onDue(session: string): void {
    void this.#inTurn(async () => {
      this.#due.delete(session)
      if (!this.#isClosed) await this.#take(session, 'activity', SNAPSHOTS)
    }).catch((error) => this.context.report(`snapshot of ${session}: ${errorMessage(error)}`))
  }

  /** Looks and writes do not overlap. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.then(
      () => {},
      () => {},
    )
    return done
  }

  async #take(
    session: string,
    reason: SnapshotReason,
    actor: Actor,
    isLast: boolean = reason !== 'activity',
  ): Promise<void> {
    const row = this.#rows.find(session)
    if (!row || !existsSync(row.path)) return
    this.#lookedAt.set(session, this.context.clock.now())
    try {
      const look = await this.#look(row, isLast)
      if (await this.#isNew(row, look)) await this.#store(row, look, reason, actor)
      this.#failures.delete(session)
      this.#looked.emit(session)
    } catch (error) {
      // A killed git leaves locks behind, which are removed before the next look.
      this.#watched.delete(session)
      this.#repository(row.rig).distrust()
      await this.#recordFailure(row, reason, errorMessage(error), actor)
      throw error
    }
  }

  async #look(row: WorktreeRow, isLast: boolean): Promise<Look> {
    requireNoLinks(this.options.config.current.path, row.path)
    const { path, repository: rig, rig: name } = this.#places.fixed(row)
    const source = readSource(path)
    const watched = await this.#watch(row, path, source)
    if (source.fetched !== watched.pinned) {
      await this.#pins.pin({ ...row, repository: rig })
      watched.pinned = source.fetched
    }
    const lends = (objects: string) => this.#places.lends(name, objects)
    const read = [...repositoryFolders(path, lends), ...repositoryFolders(rig, lends)]
    const { head, branch, logged } = source
    const version = `${head} ${logged[0]} ${logged.length}`
    let others: readonly string[] = []
    if (head !== undefined && (isLast || watched.copied !== version)) {
      watched.withoutHistory = undefined
      try {
        const ofRig = () => this.#pins.tips({ ...row, repository: rig }, 'without sessions')
        others = await watched.repository.copyHistory(row.session, head, { ...source, ofRig }, read)
      } catch (error) {
        if (isDiskFull(error)) throw error
        watched.withoutHistory = errorMessage(error)
      }
      const copied = { session: row.session, rig: name, source, repository: watched.repository, read }
      const isShown = watched.withoutHistory !== undefined || (await this.#show(copied))
      watched.copied = isShown ? version : ''
    }
    const { withoutHistory } = watched
    const commit = withoutHistory === undefined ? head : undefined
    const state = await watched.index.read(source, commit)
    return { watched, state, commit, others, branch, withoutHistory }
  }

  /** Shows a copied commit to who watches them; false when that failed and should be tried again. */
  async #show({ session, rig, source, repository, read }: CopiedSource): Promise<boolean> {
    const { head: commit, branch, objects } = source
    if (commit === undefined || this.#onCommit === undefined) return true
    try {
      await this.#onCommit({
        ...{ session, rig, commit, branch, own: repository.own },
        repository: repository.at({ read, ...(objects !== undefined && { objects }) }),
        tipOf: (name) => this.#tipOf(rig, name),
      })
      return true
    } catch (error) {
      this.context.report(`commits of ${session}: ${errorMessage(error)}`)
      return false
    }
  }

  /** True if a branch of the rig contains a commit. */
  async isMerged(rig: string, commit: string, branch: string): Promise<boolean> {
    const tip = await this.#tipOf(rig, branch)
    if (tip === '') return false
    const merged = await this.#gitOf(rig)?.execute(['merge-base', '--is-ancestor', commit, tip])
    return merged?.exitCode === 0
  }

  async #tipOf(rig: string, branch: string): Promise<string> {
    const repository = this.#gitOf(rig)
    return (await repository?.commitOf(`refs/heads/${branch}`)) || (await repository?.commitOf(branch)) || ''
  }

  /** The repository of a rig; undefined if it is no longer declared, or has no folder. */
  #gitOf(rig: string): Repository | undefined {
    const place = this.#rigPlace(rig)
    if (place === undefined) return undefined
    return rigRepository(this.options.git, place, (objects) => this.#places.lends(rig, objects))
  }

  /** The place of a rig; undefined if it is no longer declared, or has no folder. */
  #rigPlace(name: string): string | undefined {
    const path = this.options.config.current.rigs.find((each) => each.name === name)?.path
    return path === undefined ? undefined : this.#places.placeOf(path)
  }

  /** gc's own repository of a rig, made where there is none, for commits like this. */
  async #prepared(rig: string, commit: string | undefined): Promise<SnapshotRepository> {
    const repository = this.#repository(rig)
    createFolder(dirname(repository.path))
    await repository.prepare(commit?.length === 64 ? 'sha256' : 'sha1')
    return repository
  }

  async #watch(row: WorktreeRow, folder: string, { head, fetched }: WorktreeSource): Promise<Watched> {
    const existing = this.#watched.get(row.session)
    if (existing) return existing
    const repository = await this.#prepared(row.rig, head)
    const read = [...workingFolders(folder)]
    const index = new FolderIndex({
      git: ({ worktree, index: file, isSparse }) => repository.at({ folder: worktree, index: file, isSparse, read }),
      folder,
      file: repository.indexFile(row.session),
      maxFileBytes: () => this.options.config.current.session.snapshotMaxBytes,
      ownFiles: () =>
        new Set(this.options.projectFiles.pathsIn(row.path).map((path) => Buffer.from(path).toString('latin1'))),
    })
    const stored = await repository.list(row.session)
    const pinned = this.#missed.delete(row.session) ? '' : fetched
    const watched: Watched = { repository, index, stored, pinned, copied: '', withoutHistory: undefined }
    this.#watched.set(row.session, watched)
    return watched
  }

  /** True if a look found what no snapshot has, and the rig has not either. */
  async #isNew({ home }: WorktreeRow, { watched, state, commit, others }: Look): Promise<boolean> {
    if (others.length > 0) return true
    const last = watched.stored.at(-1)
    if (last) return last.tree !== state.tree || last.commit !== commit
    if (commit === undefined || commit !== home) return true
    return (await watched.repository.own.run('rev-parse', `${commit}^{tree}`)) !== state.tree
  }

  async #store(row: WorktreeRow, look: Look, reason: SnapshotReason, actor: Actor): Promise<void> {
    const { watched, state, commit, others, branch, withoutHistory } = look
    const commits = commit === undefined ? [] : [commit, ...others]
    const { session, bead } = row
    const number = (watched.stored.at(-1)?.number ?? 0) + 1
    const takenAt = Math.floor(this.context.clock.now() / 1000)
    const { tree, leftOut, nested } = state
    const note = {
      ...{ reason, branch, bead: bead ?? undefined, withoutHistory },
      ...{
        leftOut: leftOut.slice(0, MAX_LEFT_OUT),
        leftOutTotal: leftOut.length,
        nested: nested.slice(0, MAX_LEFT_OUT),
      },
    }
    await watched.repository.store(session, number, { tree, commits, takenAt, note })
    const all = [...watched.stored, { session, number, tree, commit, takenAt }]
    watched.stored = all.slice(-KEPT)
    this.#storedSinceCollect++
    await watched.repository.drop(all.slice(0, -KEPT))
    if (reason === 'activity') return
    await this.context.store.write((tx) => {
      const payload = { ...this.#payload(row), snapshot: idOf({ session, number }), reason, left_out: leftOut.length }
      this.context.log.append(tx, WorktreeSnapshotted, aboutOf(row), payload)
    }, actor)
  }

  /** Records why no snapshot could be taken; each error once, until it works again. */
  async #recordFailure(row: WorktreeRow, reason: SnapshotReason, error: string, actor: Actor): Promise<void> {
    if (this.#failures.get(row.session) === error) return
    this.#failures.set(row.session, error)
    await this.context.store
      .write((tx) => {
        const payload = { ...this.#payload(row), reason, error: error.slice(0, 500) }
        this.context.log.append(tx, WorktreeSnapshotFailed, aboutOf(row), payload)
      }, actor)
      .catch(() => {})
  }

  #payload({ session, bead, path, rig }: WorktreeRow) {
    return { bead_id: bead ?? session, path, rig }
  }

  async #restoreFolder(rig: string, { object }: StoredSnapshot, folder: string): Promise<{ folder: string }> {
    if (!isAbsolute(folder)) throw new AppError('invalid-request', `${folder} is not an absolute path`)
    if (lstatSync(folder, { throwIfNoEntry: false })) {
      throw new AppError('conflict-wrong-state', `${folder} exists already; name a folder that does not exist yet`)
    }
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      throw new AppError('conflict-wrong-state', `${folder} cannot be made: ${errorMessage(error)}`)
    }
    try {
      await this.#repository(rig).checkOut(object, folder)
      return { folder }
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw error
    }
  }

  async #restoreBranch(name: string, snapshot: StoredSnapshot, branch: string) {
    const declared = this.options.config.current.rigs.find((each) => each.name === name)
    if (declared?.path === undefined) {
      throw new AppError('conflict-wrong-state', `there is no rig ${name} any more; restore into a folder`)
    }
    const repository = this.#repository(name)
    const outgoing = join(repository.path, 'outgoing')
    const place = this.#places.placeOf(declared.path)
    const rig = rigRepository(this.options.git, place, (objects) => this.#places.lends(name, objects), {
      read: [outgoing],
    })
    if ((await rig.execute(['check-ref-format', '--branch', branch])).exitCode !== 0)
      throw new AppError('invalid-request', `${branch} is not a name for a branch`)
    if (await rig.commitOf(`refs/heads/${branch}`)) {
      throw new AppError('conflict-wrong-state', `branch ${branch} in rig ${name} already exists; name another`)
    }
    await rm(outgoing, { recursive: true, force: true })
    mkdirSync(outgoing, { mode: 0o700 })
    try {
      const object = await repository.commit(snapshot, `Restore snapshot ${idOf(snapshot)}\n`)
      const objects = [object, ...snapshot.others]
      const tips = [snapshot.commit ?? 'HEAD', 'HEAD'].map((commit) => rig.commitOf(commit))
      const known = (await Promise.all(tips)).filter(Boolean)
      const file = join(outgoing, 'snapshot.bundle')
      await repository.bundle(objects, file, known)
      const options = ['-q', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules']
      await rig.run(...CHECKED, 'fetch', ...options, file, ...objects.map((_, at) => `${RESTORED}/${at}`))
      for (const [at, each] of objects.entries()) {
        await rig.run('branch', '-q', '--no-track', at === 0 ? branch : `${branch}.${at}`, each)
      }
      return { branch, commit: object }
    } finally {
      await rm(outgoing, { recursive: true, force: true })
    }
  }

  #scheduleSweep(delay: number): void {
    this.#sweep = this.context.deadlines.interval(delay, () => {
      void this.sweep().catch((error) => this.context.report(errorMessage(error)))
      this.#scheduleSweep(SWEEP_MS)
    })
  }

  /** Drops snapshots that are too old, but never the newest of a worktree that is there. */
  async #dropOld(): Promise<void> {
    const before = (this.context.clock.now() - KEPT_MS) / 1000
    const live = new Set(this.#rows.all().map(({ session }) => session))
    let dropped = 0
    for (const name of this.#rigs()) {
      if (this.#isClosed) return
      const repository = this.#repository(name)
      const all = await repository.list()
      const newest = new Map(all.map((each) => [each.session, each.number]))
      const old = all.filter(
        ({ session, number, takenAt }) => takenAt < before && !(live.has(session) && newest.get(session) === number),
      )
      await repository.drop(old)
      dropped += old.length
      for (const session of new Set(old.map((each) => each.session))) this.#watched.delete(session)
      const isEmpty = old.length === all.length && !this.#rows.all().some(({ rig }) => rig === name)
      const isUnused = isEmpty && !(await repository.hasChanges())
      if (isUnused) await rm(repository.path, { recursive: true, force: true })
      else if (dropped + this.#storedSinceCollect > 0) await repository.collect()
    }
    this.#storedSinceCollect = 0
  }

  #rigs(): string[] {
    const folder = this.#folder
    if (!existsSync(folder)) return []
    return readdirSync(folder).flatMap((name) => (name.endsWith('.git') ? [name.slice(0, -'.git'.length)] : []))
  }

  get #folder(): string {
    return join(this.options.config.current.path, '.gc', 'snapshots')
  }

  #repository(rig: string): SnapshotRepository {
    const existing = this.#repositories.get(rig)
    if (existing) return existing
    const made = new SnapshotRepository(this.options.git, join(this.#folder, `${rig}.git`))
    this.#repositories.set(rig, made)
    return made
  }

  /** Throws for a session that never was: one without snapshots is none. */
  #requireKnown(session: string): void {
    if (this.#rows.find(session) || this.options.sessionRepository.find(session)) return
    throw new AppError('session-not-found', `there is no session ${session}; see gc worktree snapshots`)
  }

  #get(session: string): WorktreeRow {
    const row = this.#rows.find(session)
    if (row && existsSync(row.path)) return row
    throw new AppError('conflict-wrong-state', `the worktree of session ${session} is gone; compare two snapshots`)
  }

  async #find(session: string, number: number): Promise<{ rig: string; snapshot: StoredSnapshot }> {
    requireSession(session)
    for (const rig of this.#rigs()) {
      const snapshot = (await this.#repository(rig).list(session)).find((each) => each.number === number)
      if (snapshot) return { rig, snapshot }
    }
    throw new AppError(
      'snapshot-not-found',
      `there is no snapshot ${session}@${number}; see gc worktree snapshots ${session}`,
    )
  }
}

function requireSession(session: string): void {
  if (SESSION.test(session) && !session.includes('..')) return
  throw new AppError('session-not-found', `there is no session ${session}; see gc worktree snapshots`)
}

const idOf = ({ session, number }: Pick<StoredSnapshot, 'session' | 'number'>): string => `${session}@${number}`
const aboutOf = ({ session, bead }: WorktreeRow) => ({ subject: bead ?? session, session_id: session })

function toWire(rig: string, snapshot: StoredSnapshot): WorktreeSnapshot {
  const {
    session,
    number,
    takenAt,
    reason,
    commit,
    others,
    branch,
    bead,
    leftOut,
    leftOutTotal,
    nested,
    withoutHistory,
  } = snapshot
  return {
    ...{ id: idOf(snapshot), session, number, rig, taken_at: toTimestamp(takenAt * 1000), reason },
    ...(commit !== undefined && { commit }),
    ...(others.length > 0 && { other_commits: [...others] }),
    ...(branch !== undefined && { branch }),
    ...(bead !== undefined && { bead_id: bead }),
    ...{ left_out: [...leftOut], left_out_total: leftOutTotal, nested: [...nested] },
    ...(withoutHistory !== undefined && { without_history: withoutHistory }),
  }
}
