import { describe, expect, test } from 'bun:test'
import type { Location, Query, Row, Slice, TablePage } from '../../client/views/page.ts'
import { Client } from '../../src/client/client.ts'
import type { CityEvent } from '../../src/client/operations.ts'
import { TableFeed } from '../../tui/data/table-feed.ts'
import { Waits } from '../../tui/data/waits.ts'
import type { Message } from '../../tui/state/reducer.ts'
import { emptyView } from '../../tui/state/state.ts'
import { row } from './state/world.ts'

const LOCATION: Location = { page: 'things', city: 'alpha', subject: '' }
const SLICE = 100
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A list on a server, newest first, whose cursors are the last row before them, and the table that shows it. */
class Shown {
  readonly ids: number[]
  selected: string | undefined
  filter = ''
  reads = 0
  /** Ends before a read does. */
  held = Promise.resolve()
  rows: readonly string[] = []
  hasMore = false
  onShow = () => {}
  readonly feed: TableFeed
  #due: (() => void)[] = []

  constructor(count: number, more: Partial<TablePage> = {}) {
    this.ids = Array.from({ length: count }, (_, at) => count - at)
    const page: TablePage = {
      ...{ kind: 'table', name: 'things', title: 'things', help: '', empty: '', columns: [] },
      isChangedBy: () => true,
      load: (_, query) => this.#load(query),
      ...more,
    }
    const options = {
      client: new Client({ url: 'http://127.0.0.1:1', token: undefined }),
      machine: { diagnose: async () => [], followLog: async function* () {} },
      timers: { after: (_: number, run: () => void) => ({ cancel: () => {}, at: this.#due.push(run) }) },
      waits: new Waits(() => 0),
      now: () => 0,
      dispatch: (message: Message) => this.#show(message),
      viewOf: () => ({ ...emptyView, filter: this.filter, selected: this.selected }),
      happened: () => {},
    }
    this.feed = new TableFeed(options, page, LOCATION, new AbortController().signal)
  }

  /** Waits until delayed parts are shown. */
  pass(): void {
    for (const run of this.#due.splice(0)) run()
  }

  #show(message: Message): void {
    if (message.type !== 'rows') return
    this.rows = message.rows.map(({ id }) => id)
    this.hasMore = message.hasMore
    this.onShow()
  }

  async #load({ cursor, filter }: Query): Promise<Slice<Row>> {
    this.reads++
    const from = cursor === undefined ? 0 : this.ids.findIndex((id) => id < Number(cursor))
    const items = this.ids.slice(from, from + SLICE).map((id) => row(`${filter}${id}`))
    const next = from + SLICE < this.ids.length ? String(this.ids[from + SLICE - 1]) : undefined
    await this.held
    return { items, next }
  }
}

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: from - to + 1 }, (_, at) => String(from - at))

describe('a table', () => {
  test('misses none of its rows when others have come before them', async () => {
    const shown = new Shown(450)
    await shown.feed.refresh()
    for (let n = 0; n < 3; n++) await shown.feed.more()
    expect(shown.rows).toEqual(numbers(450, 51))
    shown.selected = '150'
    shown.ids.unshift(...numbers(457, 451).map(Number))
    await shown.feed.refresh()
    expect(shown.rows).toEqual(numbers(457, 58))
    expect(shown.hasMore).toBe(true)
    await shown.feed.more()
    expect(shown.rows).toEqual(numbers(457, 1))
  })

  test('reads again no more than is in sight', async () => {
    const shown = new Shown(450)
    await shown.feed.refresh()
    for (let n = 0; n < 3; n++) await shown.feed.more()
    shown.selected = '450'
    shown.reads = 0
    await shown.feed.refresh()
    expect(shown.reads).toBe(1)
    expect(shown.rows).toEqual(numbers(450, 351))
  })

  test('is read to its end by who asks for more with all that is shown', async () => {
    const shown = new Shown(450)
    shown.onShow = () => void (shown.hasMore && shown.feed.more())
    await shown.feed.refresh()
    for (let n = 0; n < 20; n++) await settled()
    expect(shown.rows).toEqual(numbers(450, 1))
  })

  test('shows nothing of what was asked for before its filter changed', async () => {
    const shown = new Shown(250)
    await shown.feed.refresh()
    const before = shown.rows
    const held = Promise.withResolvers<void>()
    shown.held = held.promise
    const more = shown.feed.more()
    await settled()
    shown.filter = 'x'
    shown.feed.forget()
    const again = shown.feed.refresh()
    expect(shown.rows).toEqual(before)
    held.resolve()
    await Promise.all([more, again])
    expect(shown.rows).toEqual(numbers(250, 151).map((id) => `x${id}`))
  })
})

describe('a table of events', () => {
  const rowOf = ({ seq }: CityEvent): Row | undefined => (seq % 10 === 0 ? undefined : row(String(seq)))
  const event = (seq: number): CityEvent => ({
    ...{ seq, type: 'thing.done', ts: '2026-11-28T00:00:00Z', actor: 'ann', payload: {} },
  })

  test('takes them as they come, without a read', async () => {
    const shown = new Shown(5, { rowOf })
    expect(shown.feed.take(event(6))).toBe(false)
    await shown.feed.refresh()
    for (let seq = 6; seq <= 11; seq++) expect(shown.feed.take(event(seq))).toBe(true)
    shown.pass()
    expect(shown.rows).toEqual(['11', ...numbers(9, 1)])
    expect(shown.reads).toBe(1)
  })

  test('has each once that came while it was being read', async () => {
    const shown = new Shown(5, { rowOf })
    const held = Promise.withResolvers<void>()
    shown.held = held.promise
    const read = shown.feed.refresh()
    await settled()
    for (const seq of [5, 6, 7]) expect(shown.feed.take(event(seq))).toBe(true)
    held.resolve()
    await read
    expect(shown.rows).toEqual(numbers(7, 1))
  })

  test('is read again after two thousand of them, which are not kept indefinitely', async () => {
    const shown = new Shown(5, { rowOf: ({ seq }) => row(String(seq)) })
    await shown.feed.refresh()
    let seq = 6
    while (shown.feed.take(event(seq))) shown.ids.unshift(seq++)
    expect(seq).toBe(2_001)
    await shown.feed.refresh()
    expect(shown.rows).toEqual(numbers(2_000, 1_901))
  })
})
