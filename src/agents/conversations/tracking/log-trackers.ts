import type { CityContext } from '../../../core/city-context.ts'
import { errorMessage } from '../../../core/errors.ts'
import { Signal } from '../../../core/signal.ts'
import type { Tx } from '../../../core/store/index.ts'
import type { FilePosition, LogHandle, LogSnapshot } from '../../../programs/logs/index.ts'
import { isRunning, type SessionRepository, type SessionRow } from '../../../work/sessions/index.ts'
import type { FileWatcher } from './file-watcher.ts'
import type { LogLocator } from './locator.ts'
import type { SessionLogStore } from './log-store.ts'
import { LogTracker } from './log-tracker.ts'
import { LogOwners } from './owners.ts'
import type { OwnLog } from './tracked-log.ts'

export interface LogTrackersOptions {
  sessionRepository: SessionRepository
  locator: Pick<LogLocator, 'places' | 'rivals' | 'greeting'>
  logStore: SessionLogStore
  watcher: FileWatcher
  /** The log of a session whose program is talked to by protocol: it is not a file. */
  findRecords(row: SessionRow): LogHandle | undefined
}

/** Result of reading a log. */
export interface LogReading {
  readonly log: LogHandle
  /** Records before this time are not the session's; 0 when all are. */
  readonly since: number
  readonly snapshot: LogSnapshot
  readonly position: FilePosition | undefined
}

export type ReadListener = (row: SessionRow, reading: LogReading) => void

/** Delay between a change of sessions and the update of their trackers. */
const UPDATE_DELAY_MS = 50

/** Tracks the logs of every running session of a city, each log for one of them. */
export class LogTrackers {
  readonly #trackers = new Map<string, LogTracker>()
  readonly #closing = new Set<Promise<void>>()
  readonly #grown = new Signal<Parameters<ReadListener>>()
  readonly #owners: LogOwners
  #unsubscribe = () => {}
  #nextUpdate: { cancel(): void } | undefined
  /** Sessions that changed since the last update; undefined when any of them may have. */
  #changed: Set<string> | undefined
  #isStopped = true

  constructor(
    private readonly context: CityContext,
    private readonly options: LogTrackersOptions,
  ) {
    const { clock } = context
    const { locator, logStore } = options
    this.#owners = new LogOwners(locator, logStore, () => clock.now())
  }

  start(): void {
    this.#isStopped = false
    this.#changed = undefined
    this.#unsubscribe = this.options.sessionRepository.onChange((session) => this.#schedule(session))
    this.#update()
    this.#finishEnded()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe()
    this.#nextUpdate?.cancel()
    for (const tracker of this.#trackers.values()) this.#closeTracker(tracker, false)
    this.#trackers.clear()
    await Promise.all(this.#closing)
  }

  /** The tracker of a running session. */
  get(session: string): LogTracker | undefined {
    return this.#trackers.get(session)
  }

  /** Calls the listener whenever a tracked log has grown. */
  readonly onRead = this.#grown.listen

  /** Resolves when every tracked log has been read to its current end. */
  async readAll(): Promise<void> {
    this.#update()
    await Promise.all([...this.#trackers.values()].map((tracker) => tracker.updateAll()))
  }

  #schedule(session: string | undefined): void {
    if (session === undefined) this.#changed = undefined
    else this.#changed?.add(session)
    this.#nextUpdate ??= this.context.deadlines.after(UPDATE_DELAY_MS, () => this.#update())
  }

  /** Starts and stops trackers as sessions start and end. */
  #update(): void {
    this.#nextUpdate?.cancel()
    this.#nextUpdate = undefined
    if (this.#isStopped) return
    const { sessionRepository } = this.options
    const changed = this.#changed ?? [...this.#trackers.keys(), ...sessionRepository.live().map(({ id }) => id)]
    const running = new Map<string, SessionRow>()
    for (const id of changed) {
      const row = sessionRepository.find(id)
      if (row && row.state !== 'closed' && isRunning(row)) running.set(id, row)
      this.#renewTracker(id, running.get(id))
    }
    for (const [id, row] of running) if (!this.#trackers.has(id)) this.#startTracker(id, row)
    this.#changed = new Set()
  }

  #renewTracker(id: string, row: SessionRow | undefined): void {
    const tracker = this.#trackers.get(id)
    if (!tracker) return
    if (row?.generation !== tracker.row.generation) {
      this.#stopTracker(id, tracker)
      return
    }
    const isNamed = row.sessionKey !== null && row.sessionKey !== tracker.row.sessionKey
    tracker.row = row
    if (isNamed && !tracker.hasKey(row.sessionKey ?? '')) void tracker.updateAll()
  }

  #startTracker(id: string, row: SessionRow): void {
    const tracker = this.#createTracker(row)
    this.#trackers.set(id, tracker)
    this.#write(id, (tx) => this.options.logStore.setOpen(tx, id, true))
    void tracker.update()
  }

  #createTracker(row: SessionRow): LogTracker {
    const { clock } = this.context
    const { locator, logStore, findRecords } = this.options
    const tracker = new LogTracker(
      this.context,
      {
        places: (session) => (findRecords(session) ? undefined : locator.places(session)),
        findRecords,
        stored: ({ id }) => logStore.of(id),
        decide: (claimant, log) => this.#owners.decide(claimant, log),
        onLooked: (session) => this.#owners.noteWrites(session),
        watchFolder: (path, listener) => this.options.watcher.watchFolder(path, listener),
        watchLog: (reader, listener) => this.options.watcher.watchLog(reader, listener),
        onFound: (session, log) => this.#claim(session, log),
        onCurrent: (session, { handle }) => this.#saveKey(session, handle),
        onClosed: (session, logs, hasEnded) => this.#onClosed(session, logs, hasEnded),
        positionOf: ({ id }, log) => logStore.positionOf(id, log),
        onRead: (session, { handle: log, since }, { snapshot, position }) => {
          this.#grown.emit(session, { log, since, snapshot, position })
        },
        now: () => clock.now(),
      },
      row,
    )
    for (const { handle, role } of tracker.logs) if (role !== 'uncertain') this.#owners.set(row.id, handle)
    return tracker
  }

  /** Reads what the programs wrote of sessions that ended while no one read it. */
  #finishEnded(): void {
    const { logStore, sessionRepository } = this.options
    for (const id of logStore.open()) {
      const row = sessionRepository.find(id)
      if (row && !this.#trackers.has(id)) this.#closeTracker(this.#createTracker(row), true)
      if (!row) this.#write(id, (tx) => logStore.setOpen(tx, id, false))
    }
  }

  #stopTracker(id: string, tracker: LogTracker): void {
    this.#trackers.delete(id)
    this.#closeTracker(tracker, true)
  }

  #closeTracker(tracker: LogTracker, hasEnded: boolean): void {
    const closing = tracker.close(hasEnded).finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  #onClosed({ id }: SessionRow, logs: readonly OwnLog[], hasEnded: boolean): void {
    const hasNext = this.#trackers.has(id)
    if (!hasNext) {
      for (const { handle } of logs) this.#owners.release(id, handle)
      this.#owners.forgetWrites(id)
    }
    if (hasEnded && !hasNext) this.#write(id, (tx) => this.options.logStore.setOpen(tx, id, false))
  }

  /** A log belongs to a session from now on, whichever had it before. */
  #claim({ id }: SessionRow, { handle, role, since }: OwnLog): void {
    const before = this.#owners.ownerOf(handle)
    this.#owners.set(id, handle)
    const { path, key } = handle
    const { clock } = this.context
    const { logStore } = this.options
    if (before !== undefined && before !== id) void this.#trackers.get(before)?.release(handle)
    this.#write(id, (tx) => {
      if (before !== undefined && before !== id) logStore.release(tx, before, handle)
      if (this.options.sessionRepository.find(id)) logStore.claim(tx, id, { path, key, role, since }, clock.now())
    })
  }

  /** The conversation that the next start of the session resumes. */
  #saveKey({ id }: SessionRow, { key }: LogHandle): void {
    const isOwn = (known: string) => this.#trackers.get(id)?.logs.some(({ handle }) => handle.key === known) ?? false
    const { sessionRepository } = this.options
    this.#write(id, (tx) => {
      const row = sessionRepository.find(id)
      if (key === '' || !row || row.state === 'closed' || row.sessionKey === key) return
      if (row.sessionKey === null || isOwn(row.sessionKey)) sessionRepository.update(tx, id, { sessionKey: key })
    })
  }

  #write(id: string, change: (tx: Tx) => void): void {
    const { store, report } = this.context
    store.write(change).catch((error) => report(`the logs of session ${id} could not be saved: ${errorMessage(error)}`))
  }
}
