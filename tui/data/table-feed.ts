import type { Location, Reach, Row, Slice, TablePage } from '../../client/views/index.ts'
import type { CityEvent } from '../../src/client/operations.ts'
import { type FeedOptions, reachOf } from './feed-options.ts'

interface Segment {
  readonly cursor: string | undefined
  readonly rows: readonly Row[]
  readonly next: string | undefined
}

/** So many rows below the selected one may be visible. */
const ROWS_BELOW = 100
/** So many rows are read again to show what has become of them. */
const MAX_REREAD = 1_000
/** Rows that come with events are shown together so often. */
const SHOW_MS = 250
/** Maximum rows that events add before the newest are read again. */
const MAX_ROWS = 2_000

/** Keeps the rows of a table as the server has them: those that were read, a slice at a time. */
export class TableFeed {
  #segments: Segment[] = []
  #first: Omit<Slice<Row>, 'items' | 'next'> = {}
  #isReadingMore = false
  #turn: Promise<void> = Promise.resolve()
  /** Rows of events, newest first, that came while the first slice was being read, and may be missing in it. */
  #meanwhile: Row[] | undefined
  #isShownSoon = false
  readonly #reach: Reach

  constructor(
    private readonly options: FeedOptions,
    private readonly page: TablePage,
    private readonly location: Location,
    private readonly signal: AbortSignal,
  ) {
    this.#reach = reachOf(options, location, signal)
  }

  /** True if events keep the rows up to date, so that they need no reading. */
  get isLive(): boolean {
    return this.page.rowOf !== undefined && this.#segments.length > 0
  }

  /** Reads again what was read, as far as it is in sight. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      const wanted = this.#rowsInSight()
      if (wanted > MAX_REREAD) await this.#rereadAround()
      else await this.#reread(wanted)
    })
  }

  /** Reads the rows after those that were read. */
  async more(): Promise<void> {
    if (this.#isReadingMore) return
    this.#isReadingMore = true
    await this.#inTurn(async () => {
      try {
        const segments = this.#segments
        const next = segments.at(-1)?.next
        if (next !== undefined) segments.push(await this.#read(next))
      } finally {
        // Who is shown these rows may ask for the next ones at once.
        this.#isReadingMore = false
      }
    })
  }

  /** Adds the row of an event before all others, where rows are events; false when the table must be read instead. */
  take(event: CityEvent): boolean {
    const { page, location } = this
    const [first] = this.#segments
    if (!page.rowOf || (!first && !this.#meanwhile)) return false
    if (first && first.rows.length >= MAX_ROWS) {
      this.forget()
      return false
    }
    const row = page.rowOf(event, location.city, this.options.viewOf(location).filter)
    if (!row) return true
    this.#meanwhile?.unshift(row)
    if (first) this.#segments[0] = { ...first, rows: [row, ...first.rows] }
    this.#showSoon()
    return true
  }

  /** Forgets what was read, for another order or filter; it is read again with the next refresh. */
  forget(): void {
    this.#segments = []
  }

  /** One after the other, so that none undoes what another has read; then shows what there is. */
  #inTurn(task: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(task).then(() => this.#show())
    this.#turn = turn.catch(() => {})
    return turn
  }

  /** Number of rows up to the selected one, and those below it that may be visible. */
  #rowsInSight(): number {
    const { selected } = this.options.viewOf(this.location)
    const rows = this.#segments.flatMap((segment) => segment.rows)
    return rows.findIndex(({ id }) => id === selected) + ROWS_BELOW
  }

  /** Reads from the first row on until so many are there; what was read beyond them is let go. */
  async #reread(wanted: number): Promise<void> {
    const before = this.#segments
    const segments = [await this.#readFirst()]
    let count = 0
    for (let last = segments[0]; last; ) {
      count += last.rows.length
      last =
        count < wanted && last.next !== undefined && segments.length < before.length
          ? await this.#read(last.next)
          : undefined
      if (last) segments.push(last)
    }
    if (this.#segments === before) this.#segments = segments
  }

  /** Far down, only the first rows and those around the selected one are read. */
  async #rereadAround(): Promise<void> {
    const segments = this.#segments
    const { selected } = this.options.viewOf(this.location)
    const around = segments.findIndex(({ rows }) => rows.some(({ id }) => id === selected))
    segments[0] = await this.#readFirst()
    if (around > 0) segments[around] = await this.#read(segments[around]?.cursor)
  }

  async #read(cursor: string | undefined): Promise<Segment> {
    const { items, next } = await this.#slice(cursor)
    return { cursor, rows: items, next }
  }

  async #readFirst(): Promise<Segment> {
    this.#meanwhile = []
    try {
      const { items, next, ...facts } = await this.#slice(undefined)
      this.#first = facts
      const ids = new Set(items.map(({ id }) => id))
      const rows = [...this.#meanwhile.filter(({ id }) => !ids.has(id)), ...items]
      return { cursor: undefined, rows, next }
    } finally {
      this.#meanwhile = undefined
    }
  }

  #slice(cursor: string | undefined): Promise<Slice<Row>> {
    const { filter, sort } = this.options.viewOf(this.location)
    return this.page.load(this.#reach, { cursor, filter, sort })
  }

  #showSoon(): void {
    if (this.#isShownSoon) return
    this.#isShownSoon = true
    this.options.timers.after(SHOW_MS, () => {
      this.#isShownSoon = false
      if (!this.signal.aborted) this.#show()
    })
  }

  /** A row that moved from one slice to another since that was read is shown once. */
  #show(): void {
    if (this.#segments.length === 0) return
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
