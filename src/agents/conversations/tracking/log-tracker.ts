import { basename, dirname } from 'node:path'
import type { CityContext } from '../../../core/city-context.ts'
import { nextTick } from '../../../core/event-loop.ts'
import { Signal } from '../../../core/signal.ts'
import { type LogStatus, statusOf } from '../../../programs/log-status.ts'
import { type FilePosition, type LogHandle, type LogReader, logId, writtenAt } from '../../../programs/logs/index.ts'
import type { SessionRow } from '../../../work/sessions/index.ts'
import type { LogPlaces } from './locator.ts'
import type { StoredLog } from './log-store.ts'
import type { Claim, Claimant } from './owners.ts'
import { SharedLog } from './shared-log.ts'
import { closeReader, inOrder, type OwnLog, type TrackedLog } from './tracked-log.ts'

/** A log that is only tracked is kept in memory in part. */
const READER_OPTIONS = { windowBytes: 1024 * 1024, keepBytes: 128 * 1024 }
/** Bytes read from the end of a log that was not counted before. */
const INITIAL_BYTES = 16 * 1024 * 1024
/** Maximum open logs of a session: those read last. */
const MAX_OPEN = 8
/** Logs beyond this number are not counted, which is reported. */
const MAX_LOGS = 10_000
/** Time before the last look a log can have been written unnoticed. */
const OVERLAP_MS = 10_000
const FOLDERS_PER_STEP = 20
/** The folders of so many conversations are watched, those that were read last. */
const MAX_WATCHED_MAINS = 20

/** Tracks the logs that the program of one session writes, from when each appears until the session ends. */
export class LogTracker {
  readonly #changed = new Signal()
  readonly #logs = new Map<string, TrackedLog>()
  /** The keys of the logs, of conversations first. */
  readonly #keys = new Set<string>()
  readonly #folders: WatchedFolders
  /** The logs that are open for reading. */
  readonly #opened = new Set<TrackedLog>()
  #current: TrackedLog | undefined
  #status: LogStatus = {}
  /** True if all folders should be looked through. */
  #isFull = true
  #checkedAt = 0
  #readings = 0
  #running: Promise<void> | undefined
  /** An update that has not started yet. */
  #next: Promise<void> | undefined
  #isClosed = false

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      places(row: SessionRow): LogPlaces | undefined
      /** The log of a session that is not a file. */
      findRecords(row: SessionRow): LogHandle | undefined
      /** The logs that a session was known to have. */
      stored(row: SessionRow): readonly StoredLog[]
      decide(claimant: Claimant, log: LogHandle): Claim | undefined
      /** All that the session wrote so far was looked at. */
      onLooked(row: SessionRow): void
      watchFolder(path: string, listener: (names: ReadonlySet<string> | undefined) => void): () => void
      watchLog(reader: LogReader, listener: () => void): () => void
      /** A log was found to belong to the session. */
      onFound(row: SessionRow, log: OwnLog): void
      /** The conversation continues in another log than before. */
      onCurrent(row: SessionRow, log: OwnLog): void
      onClosed(row: SessionRow, logs: readonly OwnLog[], hasEnded: boolean): void
      /** The position up to which a log was counted before. */
      positionOf(row: SessionRow, log: LogHandle): FilePosition | undefined
      /** A log has grown. */
      onRead(row: SessionRow, log: OwnLog, reader: LogReader): void
      now(): number
    },
    public row: SessionRow,
  ) {
    this.#folders = new WatchedFolders(peers.watchFolder, () => void this.update())
    const places = peers.places(row)
    for (const log of peers.stored(row)) {
      const handle = places?.finder.handle(log.path, log.key, log.role === 'side')
      if (handle) this.#add({ handle, role: log.role, since: log.since })
    }
    if (places) this.#watch(places)
  }

  /** The logs of the conversation and of its sub-agents, in the order in which they were found. */
  get logs(): readonly OwnLog[] {
    return [...this.#logs.values()]
  }

  get status(): LogStatus {
    return this.#status
  }

  /** Calls the listener when a log appears or grows. */
  readonly subscribe = this.#changed.listen

  /** Reads what is new; a call during an update starts another one after it. */
  update(): Promise<void> {
    this.#next ??= (this.#running ?? Promise.resolve()).then(() => {
      this.#next = undefined
      this.#running = this.#update().catch((error) => this.context.reportError(error))
      return this.#running
    })
    return this.#next
  }

  /** True if a conversation is known to be the session's. */
  hasKey(key: string): boolean {
    return this.#keys.has(key)
  }

  /** Looks through all folders again, and reads what is new. */
  updateAll(): Promise<void> {
    this.#isFull = true
    return this.update()
  }

  /** Another session turned out to have written a log. */
  async release(log: LogHandle): Promise<void> {
    const tracked = this.#logs.get(logId(log))
    if (!tracked) return
    this.#logs.delete(logId(log))
    this.#opened.delete(tracked)
    if (this.#current === tracked) this.#current = undefined
    await closeReader(tracked)
  }

  /** Reads a last time; of a program that ended, also what it wrote in its last moment. */
  async close(hasEnded: boolean): Promise<void> {
    await (hasEnded ? this.updateAll() : this.update())
    this.#isClosed = true
    await this.#next
    await this.#running
    this.#folders.close()
    for (const log of this.#opened) await closeReader(log)
    this.peers.onClosed(this.row, this.logs, hasEnded)
    this.#changed.emit()
  }

  async #update(): Promise<void> {
    if (this.#isClosed) return
    const changes = this.#folders.takeChanges()
    const isFull = this.#isFull
    this.#isFull = false
    const since = this.#checkedAt
    this.#checkedAt = this.peers.now() - OVERLAP_MS
    const due = new Set<TrackedLog>(isFull ? this.#mains() : [])
    this.#findRecords(due)
    const places = this.peers.places(this.row)
    if (places) await this.#look(places, isFull ? undefined : changes, since, due)
    for (const log of due) await this.#read(log, isFull)
    if (places) this.peers.onLooked(this.row)
    if (due.size > 0) this.#changed.emit()
  }

  /** A log that is not a file is found by its session, and reports growth itself. */
  #findRecords(due: Set<TrackedLog>): void {
    const handle = this.peers.findRecords(this.row)
    if (!handle) return
    const log = this.#logs.get(logId(handle)) ?? this.#add({ handle, role: 'main', since: 0 })
    due.add(log)
  }

  /** Looks for logs that were written; those that are new may have others in folders of their own. */
  async #look(places: LogPlaces, changes: Changes | undefined, since: number, due: Set<TrackedLog>): Promise<void> {
    const looked = new Set<string>()
    if (!changes) this.#findNamed(places, due)
    let folders = changes ? [...changes.keys()] : this.#folders.paths
    while (folders.length > 0) {
      for (const [index, folder] of folders.entries()) {
        looked.add(folder)
        if (index % FOLDERS_PER_STEP === FOLDERS_PER_STEP - 1) await nextTick()
        const names = changes?.get(folder)
        const written = names
          ? [...names].flatMap((name) => this.#writtenAs(places, folder, name, since, due))
          : places.finder.writtenSince(places.search, folder, undefined, places.search.startedAfter)
        for (const handle of inOrder(written)) this.#consider(places, handle, changes !== undefined, due)
      }
      folders = this.#isClosed ? [] : this.#watch(places).filter((folder) => !looked.has(folder))
    }
  }

  /** The conversation that the program itself named may be an older one, in a folder of its own. */
  #findNamed(places: LogPlaces, due: Set<TrackedLog>): void {
    const key = this.row.sessionKey
    const named = key === null || this.#keys.has(key) ? undefined : places.finder.findByKey(places.search, key)
    if (named) this.#consider(places, named, false, due)
  }

  /** Logs that a change of this name can belong to; open logs are always read. */
  #writtenAs({ finder, search }: LogPlaces, folder: string, name: string, since: number, due: Set<TrackedLog>) {
    for (const log of this.#opened) {
      const files = log.reader?.reader.files ?? []
      if (files.some((file) => dirname(file) === folder && basename(file) === name)) due.add(log)
    }
    return finder.writtenSince(search, folder, name, Math.max(search.startedAfter, since))
  }

  #consider(places: LogPlaces, handle: LogHandle, isWriting: boolean, due: Set<TrackedLog>): void {
    const known = this.#logs.get(logId(handle))
    if (known && known.role !== 'uncertain') return void due.add(known)
    const { row } = this
    const hasMain = this.#mains().some(({ handle: { key } }) => key !== handle.key)
    const claim = this.peers.decide({ row, places, keys: this.#keys, hasMain, isWriting }, handle)
    if (known && (claim === undefined || claim.role === known.role)) return void due.add(known)
    if (!claim || this.#logs.size >= MAX_LOGS) return
    const log = known ?? this.#add({ handle, ...claim })
    Object.assign(log, claim)
    if (claim.role !== 'uncertain') this.#keys.add(handle.key)
    this.peers.onFound(row, log)
    due.add(log)
  }

  #add(log: OwnLog): TrackedLog {
    const tracked = { ...log, readAt: 0, reader: undefined, position: undefined, unwatch: () => {} }
    this.#logs.set(logId(log.handle), tracked)
    if (log.role !== 'uncertain') this.#keys.add(log.handle.key)
    return tracked
  }

  #mains(): TrackedLog[] {
    return [...this.#logs.values()].filter(({ role }) => role === 'main')
  }

  /** Watches the folders in which logs appear now, and returns those that are new. */
  #watch({ finder, search }: LogPlaces): string[] {
    const mains = this.#mains().sort((a, b) => a.readAt - b.readAt)
    const newest = mains.slice(-MAX_WATCHED_MAINS).map(({ handle }) => handle)
    const keys = newest.map(({ key }) => key)
    return this.#folders.watch([...finder.folders(search, keys), ...newest.map(({ path }) => dirname(path))])
  }

  async #read(log: TrackedLog, isFull: boolean): Promise<void> {
    const shared = log.reader ?? this.#open(log)
    log.readAt = ++this.#readings
    while ((await shared.refresh()) && !this.#isClosed) {
      this.#publish(log, shared.reader, isFull)
      if (!shared.reader.hasMore) break
    }
    await this.#closeOldest()
  }

  #open(log: TrackedLog): SharedLog {
    const resumeFrom = log.position ?? this.peers.positionOf(this.row, log.handle)
    // Of an older conversation that the session went back to, only the end is its own.
    const initialBytes = log.since > 0 ? READER_OPTIONS.windowBytes : INITIAL_BYTES
    const shared = new SharedLog(log.handle.open({ ...READER_OPTIONS, initialBytes, resumeFrom }))
    log.reader = shared
    this.#opened.add(log)
    if (shared.reader.subscribe) log.unwatch = this.peers.watchLog(shared.reader, () => void this.update())
    return shared
  }

  #publish(log: TrackedLog, reader: LogReader, isFull: boolean): void {
    if (log.role === 'main') this.#setCurrent(log, isFull)
    if (log === this.#current) this.#status = statusOf(reader.snapshot)
    this.peers.onRead(this.row, log, reader)
    this.#changed.emit()
  }

  /** The conversation continues in the log that was written last. */
  #setCurrent(log: TrackedLog, isFull: boolean): void {
    const before = this.#current
    if (log === before) return
    if (isFull && before && writtenAt(before.handle.path) > writtenAt(log.handle.path)) return
    this.#current = log
    this.peers.onCurrent(this.row, log)
  }

  /** Closes the log that was read longest ago when too many are open; its position is kept. */
  async #closeOldest(): Promise<void> {
    const open = [...this.#opened].filter((log) => log !== this.#current)
    if (open.length < MAX_OPEN) return
    const oldest = open.reduce((one, other) => (other.readAt < one.readAt ? other : one))
    this.#opened.delete(oldest)
    await closeReader(oldest)
  }
}

/** The names that changed, by folder; undefined when any may have. */
type Changes = ReadonlyMap<string, ReadonlySet<string> | undefined>

type WatchFolder = (path: string, listener: (names: ReadonlySet<string> | undefined) => void) => () => void

/** Folders in which the logs of one session appear, and what changed in them. */
class WatchedFolders {
  readonly #watched = new Map<string, () => void>()
  #changes = new Map<string, ReadonlySet<string> | undefined>()

  constructor(
    private readonly watchFolder: WatchFolder,
    private readonly onChange: () => void,
  ) {}

  get paths(): string[] {
    return [...this.#watched.keys()]
  }

  /** Changes since the last call. */
  takeChanges(): Changes {
    const changes = this.#changes
    this.#changes = new Map()
    return changes
  }

  /** Watches these folders and no others, and returns those that were not watched before. */
  watch(paths: readonly string[]): string[] {
    const wanted = new Set(paths)
    for (const [path, unwatch] of this.#watched) {
      if (wanted.has(path)) continue
      unwatch()
      this.#watched.delete(path)
    }
    const added = [...wanted].filter((path) => !this.#watched.has(path))
    for (const path of added) {
      const unwatch = this.watchFolder(path, (names) => this.#add(path, names))
      this.#watched.set(path, unwatch)
    }
    return added
  }

  close(): void {
    this.watch([])
  }

  #add(path: string, names: ReadonlySet<string> | undefined): void {
    const before = this.#changes.get(path)
    const isAny = names === undefined || (this.#changes.has(path) && before === undefined)
    this.#changes.set(path, isAny ? undefined : new Set([...(before ?? []), ...names]))
    this.onChange()
  }
}
