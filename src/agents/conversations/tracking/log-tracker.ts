import type { SessionRow } from '../../sessions/table.ts'
import type { FilePosition, LogReader } from '../entries/log-reader.ts'
import { type LogStatus, statusOf } from '../entries/status.ts'
import type { LogHandle } from '../logs/log-finders.ts'
import { SharedLog } from '../logs/shared-log.ts'

export interface LogTrackerOptions {
  find(row: SessionRow): LogHandle | undefined
  directories(row: SessionRow): string[]
  watch(paths: readonly string[], listener: () => void): () => void
  watchLog(reader: LogReader, listener: () => void): () => void
  onFound(row: SessionRow, handle: LogHandle): void
  /** The position up to which the log of a session was counted before. */
  positionOf(row: SessionRow): FilePosition | undefined
  /** The log has grown. */
  onRead(row: SessionRow, reader: LogReader): void
  report(error: unknown): void
}

/** A log that is only tracked is kept in memory in part. */
const READER_OPTIONS = { windowBytes: 1024 * 1024, keepBytes: 128 * 1024 }
/** How much of the end of a log is read that was not counted before. */
const INITIAL_BYTES = 16 * 1024 * 1024

/** Tracks the log of one running session from when it appears. */
export class LogTracker {
  readonly #listeners = new Set<() => void>()
  #log: SharedLog | undefined
  #handle: LogHandle | undefined
  #status: LogStatus = {}
  #unwatch = () => {}
  #running: Promise<void> | undefined
  /** An update that has not started yet. */
  #next: Promise<void> | undefined
  #isClosed = false

  constructor(
    private readonly options: LogTrackerOptions,
    public row: SessionRow,
  ) {
    this.#unwatch = options.watch(options.directories(row), () => void this.update())
  }

  get handle(): LogHandle | undefined {
    return this.#handle
  }

  get status(): LogStatus {
    return this.#status
  }

  /** Calls the listener when the log appears or grows. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads what is new; a call during an update starts another one after it. */
  update(): Promise<void> {
    this.#next ??= (this.#running ?? Promise.resolve()).then(() => {
      this.#next = undefined
      this.#running = this.#readNew().catch((error) => this.options.report(error))
      return this.#running
    })
    return this.#next
  }

  /** Reads a last time, since a program may write until it ends. */
  async close(): Promise<void> {
    await this.update()
    this.#isClosed = true
    this.#unwatch()
    await this.#next
    await this.#running
    await this.#log?.close()
    for (const listener of this.#listeners) listener()
  }

  async #readNew(): Promise<void> {
    const log = this.#log ?? this.#open()
    do {
      if (!log || !(await log.refresh()) || this.#isClosed) return
      this.#publish(log.reader)
    } while (log.reader.hasMore)
  }

  #publish(reader: LogReader): void {
    this.#status = statusOf(reader.snapshot)
    this.options.onRead(this.row, reader)
    for (const listener of this.#listeners) listener()
  }

  #open(): SharedLog | undefined {
    const handle = this.options.find(this.row)
    if (!handle || this.#isClosed) return undefined
    this.#handle = handle
    const resumeFrom = this.options.positionOf(this.row)
    this.#log = new SharedLog(handle.open({ ...READER_OPTIONS, initialBytes: INITIAL_BYTES, resumeFrom }))
    this.#unwatch()
    this.#unwatch = this.options.watchLog(this.#log.reader, () => void this.update())
    this.options.onFound(this.row, handle)
    return this.#log
  }
}
