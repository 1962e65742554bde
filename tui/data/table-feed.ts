import type { Location, Query, Reach, Row, Slice, TablePage } from '../pages/page.ts'
import { type FeedOptions, reachOf } from './feed-options.ts'

interface Segment {
  readonly cursor: string | undefined
  readonly rows: readonly Row[]
  readonly next: string | undefined
}

/** Keeps the rows of a table as the server has them: those that were read, a slice at a time. */
export class TableFeed {
  #segments: Segment[] = []
  #first: Omit<Slice<Row>, 'items' | 'next'> = {}
  #isReadingMore = false
  readonly #reach: Reach

  constructor(
    private readonly options: FeedOptions,
    private readonly page: TablePage,
    private readonly location: Location,
    signal: AbortSignal,
  ) {
    this.#reach = reachOf(options, location, signal)
  }

  /** Reads the first rows again, and those around the selected one. */
  async refresh(): Promise<void> {
    const { selected } = this.options.viewOf(this.location)
    const around = this.#segments.findIndex(({ rows }) => rows.some(({ id }) => id === selected))
    await this.#read(0)
    if (around > 0) await this.#read(around)
    this.#show()
  }

  /** Reads the rows after those that were read. */
  async more(): Promise<void> {
    const next = this.#segments.at(-1)?.next
    if (next === undefined || this.#isReadingMore) return
    this.#isReadingMore = true
    try {
      await this.#read(this.#segments.length, next)
    } finally {
      this.#isReadingMore = false
    }
    this.#show()
  }

  /** Forgets what was read, for another order or filter; it is read anew with the next refresh. */
  forget(): void {
    this.#segments = []
  }

  async #read(at: number, cursor = this.#segments[at]?.cursor): Promise<void> {
    const { filter, sort } = this.options.viewOf(this.location)
    const query: Query = { cursor, filter, sort }
    const { items, next, ...facts } = await this.page.load(this.#reach, query)
    if (at === 0) this.#first = facts
    this.#segments[at] = { cursor, rows: items, next }
  }

  /** A row that moved from one slice to another since that was read is shown once. */
  #show(): void {
    const rows = new Map<string, Row>()
    for (const segment of this.#segments) for (const row of segment.rows) if (!rows.has(row.id)) rows.set(row.id, row)
    this.options.dispatch({
      type: 'rows',
      location: this.location,
      rows: [...rows.values()],
      total: this.#first.total,
      ...(this.#first.head && { head: this.#first.head }),
      ...(this.#first.actions && { actions: this.#first.actions }),
      hasMore: this.#segments.at(-1)?.next !== undefined,
      now: this.options.now(),
    })
  }
}
