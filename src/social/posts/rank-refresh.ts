import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { EventLog } from '../../core/events/index.ts'
import { type Statement, type Store, stablePlan } from '../../core/store/index.ts'
import { ageClassEnd, ageClassOf, OLDEST_AGE_CLASS, rankChanged, rising } from './ranks.ts'
import type { posts } from './table.ts'

type PostRank = Pick<typeof posts.$inferSelect, 'n' | 'span' | 'score' | 'rising' | 'created_at'>

/** Rows per write. */
const SLICE = 100
const FIVE_MINUTES = 300_000
/** The number of age classes whose posts can still rise. */
const RISING_AGE_CLASSES = 3

/**
 * Updates what changes in a post as time passes: its age class and its rising rank. Posts of the last week are checked
 * every five minutes, older ones only when they leave their age class.
 */
export class RankRefresh {
  readonly #selectDue: Statement<PostRank, [number, number, number]>
  readonly #selectNext: Statement<PostRank, [number, number, number, number]>
  readonly #selectOldest: Statement<{ at: number | null }, [number]>
  readonly #update: Statement<unknown, [number, number, number]>
  #nextRun: Deadline | undefined
  #running: Promise<void> | undefined
  #stopped = false
  readonly #unsubscribe: () => void

  constructor(
    private readonly store: Store,
    log: EventLog,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly report: (error: unknown) => void,
  ) {
    const rows = 'SELECT n, span, score, rising, created_at FROM posts WHERE deleted_at IS NULL AND span < 5'
    this.#selectDue = store.prepare(stablePlan(`${rows} AND span = ? AND created_at <= ? ORDER BY created_at LIMIT ?`))
    this.#selectNext = store.prepare(
      stablePlan(`${rows} AND span = ? AND (created_at, n) > (?, ?) ORDER BY created_at, n LIMIT ?`),
    )
    this.#selectOldest = store.prepare(
      stablePlan(
        'SELECT min(created_at) AS at FROM posts INDEXED BY posts_aging WHERE deleted_at IS NULL AND span < 5 AND span = ?',
      ),
    )
    this.#update = store.prepare('UPDATE posts SET span = ?, rising = ? WHERE n = ?')
    this.#unsubscribe = log.subscribe(({ type }) => {
      if (type === 'post.created') this.#schedule()
    })
  }

  start(): void {
    void this.run()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#unsubscribe()
    this.#nextRun?.cancel()
    await this.#running
  }

  /** Updates everything that is due. */
  run(): Promise<void> {
    this.#running ??= this.#refresh()
      .catch(this.report)
      .finally(() => {
        this.#running = undefined
        this.#nextRun = undefined
        this.#schedule()
      })
    return this.#running
  }

  async #refresh(): Promise<void> {
    for (let ageClass = OLDEST_AGE_CLASS - 1; ageClass >= 0; ageClass--) await this.#updateAgeClass(ageClass)
    for (let ageClass = 0; ageClass < RISING_AGE_CLASSES; ageClass++) await this.#updateRising(ageClass)
  }

  async #updateAgeClass(ageClass: number): Promise<void> {
    for (let count = SLICE; count === SLICE && !this.#stopped; ) {
      count = await this.store.write(() => {
        const now = this.clock.now()
        const rows = this.#selectDue.all(ageClass, now - ageClassEnd(ageClass, 0), SLICE)
        for (const row of rows) this.#updateRow(row, now)
        return rows.length
      })
    }
  }

  async #updateRising(ageClass: number): Promise<void> {
    let last: PostRank | undefined
    do {
      const { created_at = 0, n = 0 } = last ?? {}
      last = await this.store.write(() => {
        const rows = this.#selectNext.all(ageClass, created_at, n, SLICE)
        for (const row of rows) this.#updateRow(row, this.clock.now())
        return rows.length === SLICE ? rows.at(-1) : undefined
      })
    } while (last && !this.#stopped)
  }

  #updateRow(row: PostRank, now: number): void {
    const ageClass = ageClassOf(row.created_at, now)
    const rank = rising(row, row.created_at, now)
    if (ageClass === row.span && !rankChanged(row.rising, rank)) return
    this.#update.run(ageClass, rank, row.n)
  }

  /** Schedules the next run: in five minutes while a post can rise, else when the next one leaves its age class. */
  #schedule(): void {
    if (this.#stopped || this.#nextRun || this.#running) return
    const ageClasses = Array.from({ length: OLDEST_AGE_CLASS }, (_, ageClass) => ageClass)
    const times = ageClasses.flatMap((ageClass) => {
      const createdAt = this.#selectOldest.get(ageClass)?.at
      if (createdAt === null || createdAt === undefined) return []
      return [ageClass < RISING_AGE_CLASSES ? this.clock.now() + FIVE_MINUTES : ageClassEnd(ageClass, createdAt)]
    })
    if (times.length > 0) this.#nextRun = this.deadlines.at(Math.min(...times), () => this.run())
  }
}
