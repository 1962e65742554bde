import type { Clock } from '../clock.ts'
import type { Deadline, Deadlines } from '../deadlines.ts'
import { command, query, type Store, stablePlan } from '../store/index.ts'
import type { EventLog } from './log.ts'

export interface RetentionLimits {
  /** Events older than this go. */
  days?: number
  /** Events go, oldest first, until their text is under this many bytes. */
  bytes?: number
  /** So many of the newest stay, whatever the other bounds say. */
  minEvents?: number
  /** Rows measured or removed in one stretch. */
  slice?: number
  /** Milliseconds between two runs. */
  intervalMs?: number
}

interface Segment {
  last_seq: number
  bytes: number
}

const DAY = 86_400_000
const ROW_BYTES = 100

/** Maximum time one stretch takes from the loop. */
const SLICE_MS = 4

const SIZES = query<{ seq: number; size: number }, [number, number, number]>(
  stablePlan('SELECT seq, length(payload) AS size FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?'),
)

const SEGMENTS = query<Segment>('SELECT last_seq, bytes FROM event_segments ORDER BY last_seq')

const MEASURED = query<{ seq: number | null }>('SELECT max(last_seq) AS seq FROM event_segments')

const UNARCHIVED = query<{ seq: number | null }>('SELECT min(first_seq) AS seq FROM event_archives WHERE complete = 0')

const ADD_SEGMENT = command<[number, number]>('INSERT INTO event_segments (last_seq, bytes) VALUES (?, ?)')

const DROP_SEGMENTS = command<[number]>('DELETE FROM event_segments WHERE last_seq <= ?')

const DROP = command<[number, number]>('DELETE FROM events WHERE seq BETWEEN ? AND ?')

/**
 * Removes events that are too old or too many, in slices. The bytes of the log are kept as sums over runs of rows
 * (segments), measured once, so that no run reads the whole log.
 */
export class EventRetention {
  readonly #days: number
  readonly #bytes: number
  readonly #least: number
  readonly #slice: number
  readonly #every: number
  #next: Deadline | undefined
  #running: Promise<number> | undefined
  #stopped = false

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly report: (error: unknown) => void,
    {
      days = 30,
      bytes = 2 ** 30,
      minEvents: least = 100_000,
      slice = 250,
      intervalMs: every = 3_600_000,
    }: RetentionLimits = {},
  ) {
    this.#days = days
    this.#bytes = bytes
    this.#least = least
    this.#slice = slice
    this.#every = every
  }

  /** Runs now, and again an hour after each run. */
  start(): void {
    this.#stopped = false
    const again = () => {
      if (!this.#stopped) this.#next = this.deadlines.interval(this.#every, () => this.start())
    }
    void this.run().catch(this.report).finally(again)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#next?.cancel()
    await this.#running?.catch(() => {})
  }

  /** Measures what is new, then removes what is beyond the bounds; how many events went. */
  run(): Promise<number> {
    this.#running ??= this.#runOnce().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #runOnce(): Promise<number> {
    await this.#measure()
    const unarchived = this.store.get(UNARCHIVED)?.seq ?? Number.POSITIVE_INFINITY
    return this.#remove(Math.min(this.#beyond(), this.log.head - this.#least, unarchived - 1))
  }

  async #measure(): Promise<void> {
    const head = this.log.head
    let from = this.store.get(MEASURED)?.seq ?? 0
    while (from < head && !this.#stopped) {
      const segment = this.#sum(from, head)
      if (!segment) return
      await this.store.write((tx) => void tx.run(ADD_SEGMENT, segment.last_seq, segment.bytes))
      from = segment.last_seq
    }
  }

  #sum(from: number, head: number): Segment | undefined {
    const started = performance.now()
    let segment: Segment | undefined
    for (const { seq, size } of this.store.iterate(SIZES, from, head, this.#slice)) {
      segment = { last_seq: seq, bytes: (segment?.bytes ?? 0) + size + ROW_BYTES }
      if (performance.now() - started > SLICE_MS) break
    }
    return segment
  }

  /** The last event that age or bytes say should go. */
  #beyond(): number {
    const aged = this.log.since(this.clock.now() - this.#days * DAY) - 1
    const segments = this.store.all(SEGMENTS)
    let total = segments.reduce((sum, { bytes }) => sum + bytes, 0)
    let heavy = 0
    for (const { last_seq, bytes } of segments) {
      if (total <= this.#bytes) break
      total -= bytes
      heavy = last_seq
    }
    return Math.max(aged, heavy)
  }

  async #remove(floor: number): Promise<number> {
    let gone = 0
    for (let from = this.log.oldest; from <= floor && !this.#stopped; ) {
      const segment = this.#sum(from - 1, floor)
      const to = Math.min(floor, segment?.last_seq ?? floor)
      await this.store.write((tx) => {
        tx.run(DROP, from, to)
        tx.run(DROP_SEGMENTS, to)
      })
      gone += to - from + 1
      from = to + 1
    }
    return gone
  }
}
