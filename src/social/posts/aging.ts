import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { EventLog } from '../../core/events/log.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { endOfSpan, hasMoved, OLDEST_SPAN, rising, spanOf } from './ranks.ts'

interface Row {
  n: number
  span: number
  score: number
  rising: number
  created_at: number
}

/** Rows looked at in one write. */
const SLICE = 100
const FIVE_MINUTES = 300_000
/** Posts of the spans below this one still rise. */
const RISING_SPANS = 3

/**
 * Keeps up what of a post changes with time alone: its span, and how it rises. Only posts of the last week are looked
 * at again and again; an older one is touched when it leaves its span, and in the end never.
 */
export class Aging {
  readonly #due: Statement<Row, [number, number, number]>
  readonly #next: Statement<Row, [number, number, number, number]>
  readonly #oldest: Statement<{ at: number | null }, [number]>
  readonly #put: Statement<unknown, [number, number, number]>
  #wait: Deadline | undefined
  #running: Promise<void> | undefined
  #stopped = false
  readonly #deafen: () => void

  constructor(
    private readonly store: Store,
    log: EventLog,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly report: (error: unknown) => void,
  ) {
    const rows = 'SELECT n, span, score, rising, created_at FROM posts WHERE deleted_at IS NULL AND span < 5'
    this.#due = store.prepare(stablePlan(`${rows} AND span = ? AND created_at <= ? ORDER BY created_at LIMIT ?`))
    this.#next = store.prepare(
      stablePlan(`${rows} AND span = ? AND (created_at, n) > (?, ?) ORDER BY created_at, n LIMIT ?`),
    )
    this.#oldest = store.prepare(
      stablePlan(
        'SELECT min(created_at) AS at FROM posts INDEXED BY posts_aging WHERE deleted_at IS NULL AND span < 5 AND span = ?',
      ),
    )
    this.#put = store.prepare('UPDATE posts SET span = ?, rising = ? WHERE n = ?')
    this.#deafen = log.subscribe(({ type }) => {
      if (type === 'post.created') this.#arm()
    })
  }

  start(): void {
    void this.run()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#deafen()
    this.#wait?.cancel()
    await this.#running
  }

  /** Looks at everything that is due. */
  run(): Promise<void> {
    this.#running ??= this.#sweep()
      .catch(this.report)
      .finally(() => {
        this.#running = undefined
        this.#wait = undefined
        this.#arm()
      })
    return this.#running
  }

  async #sweep(): Promise<void> {
    for (let span = OLDEST_SPAN - 1; span >= 0; span--) await this.#leaveSpan(span)
    for (let span = 0; span < RISING_SPANS; span++) await this.#rise(span)
  }

  async #leaveSpan(span: number): Promise<void> {
    for (let left = SLICE; left === SLICE && !this.#stopped; ) {
      left = await this.store.write(() => {
        const now = this.clock.now()
        const rows = this.#due.all(span, now - endOfSpan(span, 0), SLICE)
        for (const row of rows) this.#keepUp(row, now)
        return rows.length
      })
    }
  }

  async #rise(span: number): Promise<void> {
    let last: Row | undefined
    do {
      const { created_at = 0, n = 0 } = last ?? {}
      last = await this.store.write(() => {
        const rows = this.#next.all(span, created_at, n, SLICE)
        for (const row of rows) this.#keepUp(row, this.clock.now())
        return rows.length === SLICE ? rows.at(-1) : undefined
      })
    } while (last && !this.#stopped)
  }

  #keepUp(row: Row, now: number): void {
    const span = spanOf(row.created_at, now)
    const rank = rising(row, row.created_at, now)
    if (span === row.span && !hasMoved(row.rising, rank)) return
    this.#put.run(span, rank, row.n)
  }

  /** Waits for what is next: five minutes while anything rises, else until a post leaves its span. */
  #arm(): void {
    if (this.#stopped || this.#wait || this.#running) return
    const spans = Array.from({ length: OLDEST_SPAN }, (_, span) => span)
    const ends = spans.flatMap((span) => {
      const at = this.#oldest.get(span)?.at
      if (at === null || at === undefined) return []
      return [span < RISING_SPANS ? this.clock.now() + FIVE_MINUTES : endOfSpan(span, at)]
    })
    if (ends.length > 0) this.#wait = this.deadlines.at(Math.min(...ends), () => this.run())
  }
}
