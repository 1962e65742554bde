import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import type { LogReader } from '../entries/log-reader.ts'
import type { LogReaderOptions } from '../logs/jsonl-log.ts'
import { SharedLog } from '../logs/shared-log.ts'

/** A conversation that can be opened. */
export interface CachedLogHandle {
  /** Names it among all. */
  readonly id: string
  open(bounds: LogReaderOptions): LogReader
}

interface CachedLog {
  readonly key: string
  readonly log: SharedLog
  readers: number
  eviction: Deadline | undefined
}

/** Of a large log only the newest part is read. */
const READER_OPTIONS = { windowBytes: 16 * 1024 * 1024, keepBytes: 16 * 1024 * 1024, skipsToEnd: true }
/** How long a log without readers stays open, since whoever reads one page often reads the next. */
const IDLE_MS = 30_000
const MAX_IDLE_LOGS = 4

/** Logs that are open for readers, shared between them. */
export class LogCache {
  readonly #logs = new Map<string, CachedLog>()

  constructor(private readonly deadlines: Deadlines) {}

  /** Opens a log, or shares the one that is open; `release` must be called when it is not read any more. */
  acquire(handle: CachedLogHandle): { log: SharedLog; release: () => void } {
    const { id: key } = handle
    const cached = this.#logs.get(key) ?? this.#open(key, handle)
    cached.readers++
    cached.eviction?.cancel()
    cached.eviction = undefined
    let isReleased = false
    const release = () => {
      if (isReleased) return
      isReleased = true
      cached.readers--
      if (cached.readers === 0) this.#scheduleEviction(cached)
    }
    return { log: cached.log, release }
  }

  close(): void {
    for (const cached of this.#logs.values()) this.#evict(cached)
  }

  #open(key: string, handle: CachedLogHandle): CachedLog {
    const log = new SharedLog(handle.open(READER_OPTIONS))
    const cached: CachedLog = { key, log, readers: 0, eviction: undefined }
    this.#logs.set(key, cached)
    return cached
  }

  /** Of too many idle logs, those that were opened first are closed. */
  #scheduleEviction(cached: CachedLog): void {
    cached.eviction = this.deadlines.after(IDLE_MS, () => this.#evict(cached))
    const idle = [...this.#logs.values()].filter(({ readers }) => readers === 0)
    for (const log of idle.slice(0, Math.max(0, idle.length - MAX_IDLE_LOGS))) this.#evict(log)
  }

  #evict(cached: CachedLog): void {
    cached.eviction?.cancel()
    this.#logs.delete(cached.key)
    void cached.log.close()
  }
}
