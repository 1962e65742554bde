import type { Deadline } from '../../core/deadlines.ts'
import { command, query, stablePlan, type Tx } from '../../core/store/index.ts'
import type { NetworkContext } from '../shared/index.ts'
import { ageClassEnd, ageClassOf, OLDEST_AGE_CLASS, rankChanged, rising } from './ranks.ts'
import type { posts } from './table.ts'

type PostRank = Pick<typeof posts.$inferSelect, 'n' | 'span' | 'score' | 'rising' | 'created_at'>

/** Rows per write. */
const SLICE = 100
const FIVE_MINUTES = 300_000
/** The number of age classes whose posts can still rise. */
const RISING_AGE_CLASSES = 3

const AGING = 'SELECT n, span, score, rising, created_at FROM posts WHERE deleted_at IS NULL AND span < 5'

const SELECT_DUE = query<PostRank, [number, number, number]>(
  stablePlan(`${AGING} AND span = ? AND created_at <= ? ORDER BY created_at LIMIT ?`),
)

const SELECT_NEXT = query<PostRank, [number, number, number, number]>(
  stablePlan(`${AGING} AND span = ? AND (created_at, n) > (?, ?) ORDER BY created_at, n LIMIT ?`),
)

const SELECT_OLDEST = query<{ at: number | null }, [number]>(
  stablePlan(
    'SELECT min(created_at) AS at FROM posts INDEXED BY posts_aging WHERE deleted_at IS NULL AND span < 5 AND span = ?',
  ),
)

const UPDATE = command<[number, number, number]>('UPDATE posts SET span = ?, rising = ? WHERE n = ?')

/**
 * Updates what changes in a post as time passes: its age class and its rising rank. Posts of the last week are checked
 * every five minutes, older ones only when they leave their age class.
 */
export class RankRefresh {
  #nextRun: Deadline | undefined
  #running: Promise<void> | undefined
  #stopped = false
  readonly #unsubscribe: () => void

  constructor(private readonly ctx: NetworkContext) {
    this.#unsubscribe = ctx.log.subscribe(({ type }) => {
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
      .catch(this.ctx.report)
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
      count = await this.ctx.store.write((tx) => {
        const now = this.ctx.clock.now()
        const rows = this.ctx.store.all(SELECT_DUE, ageClass, now - ageClassEnd(ageClass, 0), SLICE)
        for (const row of rows) this.#updateRow(tx, row, now)
        return rows.length
      })
    }
  }

  async #updateRising(ageClass: number): Promise<void> {
    let last: PostRank | undefined
    do {
      const { created_at = 0, n = 0 } = last ?? {}
      last = await this.ctx.store.write((tx) => {
        const rows = this.ctx.store.all(SELECT_NEXT, ageClass, created_at, n, SLICE)
        for (const row of rows) this.#updateRow(tx, row, this.ctx.clock.now())
        return rows.length === SLICE ? rows.at(-1) : undefined
      })
    } while (last && !this.#stopped)
  }

  #updateRow(tx: Tx, row: PostRank, now: number): void {
    const ageClass = ageClassOf(row.created_at, now)
    const rank = rising(row, row.created_at, now)
    if (ageClass === row.span && !rankChanged(row.rising, rank)) return
    tx.run(UPDATE, ageClass, rank, row.n)
  }

  /** Schedules the next run: in five minutes while a post can rise, else when the next one leaves its age class. */
  #schedule(): void {
    if (this.#stopped || this.#nextRun || this.#running) return
    const ageClasses = Array.from({ length: OLDEST_AGE_CLASS }, (_, ageClass) => ageClass)
    const times = ageClasses.flatMap((ageClass) => {
      const createdAt = this.ctx.store.get(SELECT_OLDEST, ageClass)?.at
      if (createdAt === null || createdAt === undefined) return []
      return [ageClass < RISING_AGE_CLASSES ? this.ctx.clock.now() + FIVE_MINUTES : ageClassEnd(ageClass, createdAt)]
    })
    if (times.length > 0) this.#nextRun = this.ctx.deadlines.at(Math.min(...times), () => this.run())
  }
}
