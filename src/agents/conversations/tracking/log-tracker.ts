import type { SessionRow } from '../../sessions/table.ts'
import type { FilePosition, LogReader } from '../entries/log-reader.ts'
import { type LogStatus, statusOf } from '../entries/status.ts'
import type { LogHandle } from '../logs/program-logs.ts'
import { SharedLog } from '../logs/shared-log.ts'

/** What following a session's log needs. */
export interface TrackNeeds {
  find(row: SessionRow): LogHandle | undefined
  places(row: SessionRow): string[]
  watch(paths: readonly string[], hear: () => void): () => void
  watchLog(reader: LogReader, hear: () => void): () => void
  /** The log of a session was found. */
  found(row: SessionRow, found: LogHandle): void
  /** Up to where a log was counted before. */
  since(row: SessionRow): FilePosition | undefined
  /** There is more in it. */
  read(row: SessionRow, reader: LogReader): void
  report(error: unknown): void
}

/** So much of a log is read at a time, and kept, of a session that only runs. */
const BOUNDS = { windowBytes: 1024 * 1024, keepBytes: 128 * 1024 }
/** So much of a log that nobody has counted is read, from its end. */
const FIRST = 16 * 1024 * 1024

/** Follows the log of one running session, from when it appears. */
export class Track {
  readonly #listeners = new Set<() => void>()
  #log: SharedLog | undefined
  #found: LogHandle | undefined
  #standing: LogStatus = {}
  #unwatch = () => {}
  #looking: Promise<void> | undefined
  /** A looking that did not begin yet. */
  #next: Promise<void> | undefined
  #closed = false

  constructor(
    private readonly needs: TrackNeeds,
    public row: SessionRow,
  ) {
    this.#unwatch = needs.watch(needs.places(row), () => void this.look())
  }

  get found(): LogHandle | undefined {
    return this.#found
  }

  get standing(): LogStatus {
    return this.#standing
  }

  /** Hears whenever the log has more, or appears. */
  listen(hear: () => void): () => void {
    this.#listeners.add(hear)
    return () => this.#listeners.delete(hear)
  }

  /** Looks for what is new; what came while it was looking is looked for then. */
  look(): Promise<void> {
    const look = () => this.#look().catch((error) => this.needs.report(error))
    this.#next ??= (this.#looking ?? Promise.resolve()).then(() => {
      this.#next = undefined
      this.#looking = look()
      return this.#looking
    })
    return this.#next
  }

  /** Looks a last time, since a program may write until its very end. */
  async close({ last }: { last: boolean }): Promise<void> {
    if (last) await this.look()
    this.#closed = true
    this.#unwatch()
    await this.#next
    await this.#looking
    await this.#log?.close()
    for (const hear of this.#listeners) hear()
  }

  async #look(): Promise<void> {
    const log = this.#log ?? this.#open()
    do {
      if (!log || !(await log.refresh()) || this.#closed) return
      this.#read(log.reader)
    } while (log.reader.hasMore)
  }

  #read(reader: LogReader): void {
    this.#standing = statusOf(reader.snapshot)
    this.needs.read(this.row, reader)
    for (const hear of this.#listeners) hear()
  }

  #open(): SharedLog | undefined {
    const found = this.needs.find(this.row)
    if (!found || this.#closed) return undefined
    this.#found = found
    this.#log = new SharedLog(found.open({ ...BOUNDS, initialBytes: FIRST, resumeFrom: this.needs.since(this.row) }))
    this.#unwatch()
    this.#unwatch = this.needs.watchLog(this.#log.reader, () => void this.look())
    this.needs.found(this.row, found)
    return this.#log
  }
}
