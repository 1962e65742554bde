import type { Deadline } from '../../core/deadlines.ts'
import { type Command, command, type Query, query, type Store, type Tx } from '../../core/store/index.ts'
import type { NetworkContext } from '../shared/index.ts'
import type { IndexRebuild } from './index-rebuild.ts'
import { STEMS } from './indexes.ts'

const MINUTE = 60_000
/** Number of pages that one write merges, more or less. */
const PAGES = 64
/** An index is merged into one part once all parts but the largest have this share of its pages. */
const FULL_SHARE = 1 / 8
/** Number of parts of like size that are merged into one; FTS5 itself begins at four. */
const MIN_PARTS = 2

interface Part {
  readonly id: number
  readonly pages: number
}

/** Selects the parts of an index with their numbers of pages, in two look-ups each. */
export const partsSql = (index: string): string =>
  `WITH RECURSIVE parts(id) AS (
     SELECT min(segid) FROM ${index}_idx
     UNION ALL SELECT (SELECT min(segid) FROM ${index}_idx WHERE segid > id) FROM parts WHERE id IS NOT NULL)
   SELECT id, (SELECT pgno >> 1 FROM ${index}_idx WHERE segid = id ORDER BY term DESC LIMIT 1) AS pages
   FROM parts WHERE id IS NOT NULL`

/**
 * Merges the parts of which full-text indexes consist. Each write adds a part, and a search looks for each word in every
 * part. Merging costs no more than a few times what was written: small parts immediately, all of them once they add up.
 */
export class IndexMerges {
  readonly #indexes: readonly MergedIndex[]
  #next: Deadline | undefined
  #running: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(
    private readonly ctx: NetworkContext,
    private readonly rebuild: IndexRebuild,
  ) {
    this.#indexes = Object.values(STEMS).map((index) => new MergedIndex(ctx.store, index))
  }

  start(): void {
    this.#running = this.run().catch(this.ctx.report)
    this.#next = this.ctx.deadlines.interval(MINUTE, async () => {
      await this.#running
      if (!this.#isStopped) this.start()
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#next?.cancel()
    await this.#running
  }

  /** Merges what has been added, once the indexes are complete. */
  async run(): Promise<void> {
    if (!this.rebuild.isDone) return
    for (const index of this.#indexes) {
      let share = index.begin()
      while (share !== undefined && !this.#isStopped) {
        const pages = share
        const isDone = await this.ctx.store.write((tx) => index.merge(tx, pages))
        share = isDone ? undefined : PAGES
      }
      index.end()
    }
  }
}

const CHANGES = query<{ n: number }>('SELECT total_changes() AS n')

class MergedIndex {
  readonly #parts: Query<Part>
  readonly #merge: Command<[number]>
  readonly #beginsAt: Command<[number]>
  readonly #setting: Query<{ v: number }>
  /** Segments left after the last merge. */
  #left = ''

  constructor(
    private readonly store: Store,
    index: string,
  ) {
    this.#parts = query(partsSql(index))
    this.#merge = command(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`)
    this.#beginsAt = command(`INSERT INTO ${index} (${index}, rank) VALUES ('usermerge', ?)`)
    this.#setting = query(`SELECT v FROM ${index}_config WHERE k = 'usermerge'`)
  }

  /** The pages to merge first, as FTS5 takes them: negative for all parts. Undefined when nothing was added. */
  begin(): number | undefined {
    const parts = this.store.all(this.#parts)
    if (parts.length < MIN_PARTS || idsOf(parts) === this.#left) return undefined
    const largest = Math.max(...parts.map(({ pages }) => pages))
    const others = parts.reduce((sum, { pages }) => sum + pages, 0) - largest
    return others >= largest * FULL_SHARE ? -PAGES : PAGES
  }

  /** Merges some pages; returns whether there were none left. */
  merge(tx: Tx, pages: number): boolean {
    if (this.store.get(this.#setting)?.v !== MIN_PARTS) tx.run(this.#beginsAt, MIN_PARTS)
    const before = this.#changed()
    tx.run(this.#merge, pages)
    // https://sqlite.org/fts5.html#the_merge_command: fewer than two rows change when there is nothing to merge.
    return this.#changed() - before < 2
  }

  end(): void {
    this.#left = idsOf(this.store.all(this.#parts))
  }

  #changed(): number {
    return this.store.get(CHANGES)?.n ?? 0
  }
}

const idsOf = (parts: readonly Part[]): string => parts.map(({ id }) => id).join()
