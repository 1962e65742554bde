import type { Clock } from '../clock.ts'
import type { Deadlines } from '../deadlines.ts'
import { nextTick } from '../event-loop.ts'
import { RecentValues } from '../recent-values.ts'
import { Signal } from '../signal.ts'
import { command, type Query, query, type Store, stablePlan, type Tx } from '../store/index.ts'
import type { EventAttributes, EventDefinition, PayloadOf, RecordedEvent } from './event.ts'
import {
  type EventDraft,
  type EventRow,
  type EventValues,
  HORIZON,
  INSERT,
  listedBytes,
  OF_NUMBERS,
  pagesOf,
  toDraft,
  toEventText,
  toRecordedEvent,
  toValues,
} from './row.ts'

/** Filter of a page of events: newest first, strictly below `before`; `since` is in milliseconds. */
export interface EventQuery {
  before?: number
  type?: string
  actor?: string
  since?: number
  limit: number
}

/** A page of events. `total` counts every event ever when nothing was asked for, else those on the page. */
export interface EventPage<Item = RecordedEvent> {
  items: Item[]
  total: number
  /** The `before` of the page that follows; absent on the last. */
  next?: number
}

type Select<Row> = Query<Row, (string | number)[]>

/** Rows of a page; `next` when there are more. */
interface Found<Row> {
  rows: Row[]
  next?: number
}

const APPEND = command<EventValues>(INSERT)

const AFTER = query<EventRow, [number, number, number]>(
  stablePlan('SELECT * FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?'),
)

const FOLLOWING = query<EventRow, [number, number]>(
  stablePlan('SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?'),
)

const OLDEST = query<{ seq: number | null }>('SELECT min(seq) AS seq FROM events')

const AT = query<{ at: number }, [number]>('SELECT at FROM events WHERE seq >= ? ORDER BY seq LIMIT 1')

const LAST = query<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'events'")

const HORIZON_OF = query<{ seq: number }, [string, number, number, number]>(stablePlan(HORIZON))

const READ = query<EventRow, [string]>(stablePlan(OF_NUMBERS))

function selectsOf<Row extends { seq: number }>(columns: '*' | 'seq') {
  const pages = pagesOf(columns)
  const select = (sql: string): Select<Row> => query(stablePlan(sql))
  return {
    any: select(pages.any),
    type: select(pages.type),
    actor: select(pages.actor),
    both: select(pages.both),
    subject: select(pages.subject),
  }
}

const ROWS = { selects: selectsOf<EventRow>('*'), bytesOf: listedBytes }
const NUMBERS = { selects: selectsOf<{ seq: number }>('seq'), bytesOf: () => 0 }

/** An event as JSON, and what it counts in a list. */
interface EventText {
  readonly text: string
  readonly bytes: number
}

/** Statements that read pages, and the bytes that a row counts in a list. */
interface Reading<Row extends { seq: number }> {
  readonly selects: ReturnType<typeof selectsOf<Row>>
  bytesOf(row: Row): number
}

/** Numbers of the events of a page: at least `floor`, and less than `below`. */
interface Range {
  readonly below: number
  readonly floor: number
  readonly limit: number
}

/** The bytes that one reading takes at most; its first event is read however large it is. Parsing more would hold the loop. */
const MAX_READ_BYTES = 1024 * 1024
/** The bytes of events whose JSON is kept for the next list, in each of two generations. */
const MAX_KEPT_BYTES = 256 * 1024
/** Number of events of an actor for each wanted one that a page by type and actor scans first: mostly they suffice. */
const NEAR = 8
/** Number of events that are published together, and how long several may hold the loop. */
const MAX_PUBLISHED = 64
const SLICE_MS = 4

/**
 * The append-only log of one scope. Rows first: an event is published once the write that recorded it is on disk,
 * so a subscriber can read what it describes. Events that were handed out are shared and never changed.
 */
export class EventLog {
  #head: number
  readonly #recent = new RecentEvents()
  /** The JSON of events that were listed lately: an event never changes. */
  readonly #texts = new RecentValues<number, EventText>(MAX_KEPT_BYTES, ({ bytes }) => bytes)
  readonly #published = new Signal<[recorded: RecordedEvent, errors: unknown[]]>()
  readonly #closed = new Signal()
  #isClosed = false

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    /** Number of events of one actor that are looked at for one page by type and actor. */
    private readonly bounds = { scan: 20_000 },
  ) {
    this.#head = store.get(LAST)?.seq ?? 0
  }

  /** The number of the newest event that is on disk; 0 while there is none. */
  get head(): number {
    return this.#head
  }

  /** The oldest event still kept; `head + 1` when none is. */
  get oldest(): number {
    return this.store.get(OLDEST)?.seq ?? this.#head + 1
  }

  /** Records an event with the write it belongs to; returns its number. */
  append<D extends EventDefinition>(tx: Tx, def: D, facts: EventAttributes, payload: PayloadOf<D>): number {
    return this.#record(tx, toDraft(def.type, this.clock.now(), tx.actor, facts, payload, false))
  }

  /** Records an event that a caller emits, of a type of its own or of ours: no reaction follows from it. */
  emit(tx: Tx, type: string, facts: EventAttributes, payload: unknown): number {
    return this.#record(tx, toDraft(type, this.clock.now(), tx.actor, facts, payload, true))
  }

  #record(tx: Tx, draft: EventDraft): number {
    const seq = Number(tx.run(APPEND, ...toValues(draft)).lastInsertRowid)
    tx.after(() => this.#publish({ seq, ...draft }))
    return seq
  }

  /** Durable events after `seq`, oldest first; fewer than `limit` when they are long. */
  after(seq: number, limit: number): RecordedEvent[] {
    const recent = this.#recent.after(seq, limit)
    if (recent) return recent
    const events: RecordedEvent[] = []
    let bytes = 0
    for (const row of this.store.iterate(AFTER, seq, this.#head, limit)) {
      bytes += listedBytes(row)
      if (bytes > MAX_READ_BYTES && events.length > 0) break
      events.push(toRecordedEvent(row))
    }
    return events
  }

  /** A page of durable events, newest first. It may be short and still not be the last: then it has a `next`. */
  page(query: EventQuery): EventPage {
    return this.#page(query, toRecordedEvent)
  }

  /** The same, each event as JSON. If most were listed lately, only the others are read. */
  texts(query: EventQuery): EventPage<string> {
    const { rows, next } = this.#find(query, NUMBERS)
    const kept = rows.map(({ seq }) => this.#texts.get(seq))
    const unread = rows.flatMap(({ seq }, at) => (kept[at] ? [] : [seq]))
    if (2 * unread.length > rows.length) return this.#page(query, (row) => this.#keepText(row).text)
    const read = this.#readTexts(unread).values()
    const items: string[] = []
    let bytes = 0
    for (const [at, { seq }] of rows.entries()) {
      const event = kept[at] ?? read.next().value
      bytes += event?.bytes ?? 0
      const isFull = bytes > MAX_READ_BYTES && at > 0
      if (!event || isFull) return { items, total: this.#totalOf(query, items), next: rows[at - 1]?.seq ?? seq + 1 }
      items.push(event.text)
    }
    return { items, total: this.#totalOf(query, items), ...(next !== undefined && { next }) }
  }

  /** The JSON of events by their numbers: of as many as one reading takes. */
  #readTexts(seqs: readonly number[]): EventText[] {
    if (seqs.length === 0) return []
    const texts: EventText[] = []
    let bytes = 0
    for (const row of this.store.iterate(READ, JSON.stringify(seqs))) {
      bytes += listedBytes(row)
      if (bytes > MAX_READ_BYTES && texts.length > 0) break
      texts.push(this.#keepText(row))
    }
    return texts
  }

  #keepText(row: EventRow): EventText {
    const event = { text: toEventText(row), bytes: listedBytes(row) }
    this.#texts.set(row.seq, event)
    return event
  }

  /** A page of durable events about one subject, newest first. It may be short and still have a `next`. */
  about(subject: string, query: EventQuery): EventPage {
    return this.#about(subject, query, toRecordedEvent)
  }

  /** The same, each event as JSON. */
  textsAbout(subject: string, query: EventQuery): EventPage<string> {
    return this.#about(subject, query, toEventText)
  }

  /**
   * A page of durable events, newest first, with their total. The whole log is read lazily, by one reader at a time.
   */
  newest(query: EventQuery): { total: number; rows: Iterable<EventRow> } {
    const { type, actor, since, limit } = query
    if (type === undefined && actor === undefined && since === undefined)
      return { total: this.#head, rows: this.#newest(limit) }
    const { items, total } = this.#page(query, (row) => row)
    return { total, rows: items }
  }

  *#newest(limit: number): Generator<EventRow> {
    let bytes = 0
    for (const row of this.store.iterate(ROWS.selects.any, this.#head + 1, 0, limit)) {
      const isFirst = bytes === 0
      bytes += listedBytes(row)
      if (bytes > MAX_READ_BYTES && !isFirst) return
      yield row
    }
  }

  #page<Item>(query: EventQuery, toItem: (row: EventRow) => Item): EventPage<Item> {
    const { rows, next } = this.#find(query, ROWS)
    return { items: rows.map(toItem), total: this.#totalOf(query, rows), ...(next !== undefined && { next }) }
  }

  #totalOf({ type, actor, since }: EventQuery, listed: readonly unknown[]): number {
    return type === undefined && actor === undefined && since === undefined ? this.#head : listed.length
  }

  #find<Row extends { seq: number }>(
    { before, type, actor, since, limit }: EventQuery,
    reading: Reading<Row>,
  ): Found<Row> {
    const below = Math.min(before ?? Number.POSITIVE_INFINITY, this.#head + 1)
    const range = { below, floor: since === undefined ? 0 : this.since(since), limit }
    if (type !== undefined && actor !== undefined) return this.#findBoth(type, actor, range, reading)
    if (type !== undefined) return this.#read(reading, 'type', [type], range)
    return actor === undefined ? this.#read(reading, 'any', [], range) : this.#read(reading, 'actor', [actor], range)
  }

  /** Events by type and actor, from the near ones of the actor, or from as many as one page may scan. */
  #findBoth<Row extends { seq: number }>(
    type: string,
    actor: string,
    { below, floor, limit }: Range,
    reading: Reading<Row>,
  ): Found<Row> {
    const { scan } = this.bounds
    const horizonAt = (offset: number) => this.store.get(HORIZON_OF, actor, below, floor, offset)?.seq
    const read = (from = floor) => this.#read(reading, 'both', [type, actor], { below, floor: from, limit })
    if (NEAR * limit < scan) {
      const near = horizonAt(NEAR * limit)
      const page = read(near)
      if (near === undefined || page.next !== undefined) return page
    }
    const horizon = horizonAt(scan)
    return { ...(horizon !== undefined && { next: horizon }), ...read(horizon) }
  }

  #about<Item>(
    subject: string,
    { before, type, actor, since, limit }: EventQuery,
    toItem: (row: EventRow) => Item,
  ): EventPage<Item> {
    const below = Math.min(before ?? Number.POSITIVE_INFINITY, this.#head + 1)
    const floor = since === undefined ? 0 : this.since(since)
    const { rows, next } = this.#read(ROWS, 'subject', [subject], { below, floor, limit })
    const found = rows.filter((row) => row.type === (type ?? row.type) && row.actor === (actor ?? row.actor))
    const items = found.map(toItem)
    return { items, total: items.length, ...(next !== undefined && { next }) }
  }

  /** As many events as are wanted and one reading takes, strictly below `below`; `next` when there are more. */
  #read<Row extends { seq: number }>(
    { selects, bytesOf }: Reading<Row>,
    by: keyof Reading<Row>['selects'],
    words: readonly string[],
    { below, floor, limit }: Range,
  ): Found<Row> {
    const rows: Row[] = []
    let bytes = 0
    for (const row of this.store.iterate(selects[by], ...words, below, floor, limit + 1)) {
      bytes += bytesOf(row)
      const isFull = rows.length === limit || (bytes > MAX_READ_BYTES && rows.length > 0)
      if (isFull) return { rows, next: rows.at(-1)?.seq ?? below }
      rows.push(row)
    }
    return { rows }
  }

  /** The newest durable event of a type, strictly below `before`. */
  latest(type: string, before?: number): RecordedEvent | undefined {
    return this.page({ type, limit: 1, ...(before !== undefined && { before }) }).items[0]
  }

  /** The number of the first event recorded at or after a moment; `head + 1` when none was. */
  since(at: number): number {
    let low = this.oldest
    let high = this.#head + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((this.store.get(AT, middle)?.at ?? Number.POSITIVE_INFINITY) >= at) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Waits until an event after `seq` is on disk, for `ms` at most; whether there is one. */
  waitForEventAfter(seq: number, ms: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#head > seq || ms <= 0 || signal?.aborted) return Promise.resolve(this.#head > seq)
    return new Promise((resolve) => {
      const end = () => {
        stop()
        stopEnding()
        deadline.cancel()
        signal?.removeEventListener('abort', end)
        resolve(this.#head > seq)
      }
      const stop = this.subscribe((recorded) => {
        if (recorded.seq > seq) end()
      })
      const stopEnding = this.onClose(end)
      const deadline = this.deadlines.after(ms, end)
      signal?.addEventListener('abort', end, { once: true })
    })
  }

  /** True if nothing is recorded any more; anyone who follows the log gets what there is, and is done. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  close(): void {
    this.#isClosed = true
    this.#closed.emit()
  }

  /** Calls back when the log is closed; returns how to unsubscribe. */
  readonly onClose = this.#closed.listen

  /** Calls the listener with every event once it is on disk, in order; returns how to unsubscribe. */
  subscribe(listener: (recorded: RecordedEvent) => void): () => void {
    return this.#published.listen((recorded, errors) => {
      try {
        listener(recorded)
      } catch (error) {
        errors.push(error)
      }
    })
  }

  /** Publishes, a few at a time, what a thread of its own has recorded; no other write runs. */
  async publishRecorded(): Promise<void> {
    let failed: { error: unknown } | undefined
    for (let started = performance.now(); ; ) {
      const rows = this.store.all(FOLLOWING, this.#head, MAX_PUBLISHED)
      if (rows.length === 0) break
      for (const row of rows) {
        try {
          this.#publish(row)
        } catch (error) {
          failed = { error }
        }
      }
      if (performance.now() - started < SLICE_MS) continue
      await nextTick()
      started = performance.now()
    }
    if (failed) throw failed.error
  }

  /** Notifies the listeners, from the row's own text: later changes to the emitter's objects are not seen. */
  #publish(row: EventRow): void {
    const recorded = toRecordedEvent(row)
    this.#head = row.seq
    this.#recent.add(recorded, row.payload.length)
    const errors: unknown[] = []
    this.#published.emit(recorded, errors)
    if (errors.length > 0) throw errors.at(-1)
  }
}

const MAX_EVENTS = 1024
const MAX_CHARACTERS = 1024 * 1024

/** The newest events of a log as they were published, so that those who follow it live share them. */
class RecentEvents {
  #events: RecordedEvent[] = []
  #sizes: number[] = []
  #size = 0

  add(recorded: RecordedEvent, size: number): void {
    const last = this.#events.at(-1)
    if (last && last.seq + 1 !== recorded.seq) this.#drop(this.#events.length)
    this.#events.push(recorded)
    this.#sizes.push(size)
    this.#size += size
    if (this.#events.length < 2 * MAX_EVENTS && this.#size < 2 * MAX_CHARACTERS) return
    let excess = Math.max(0, this.#events.length - MAX_EVENTS)
    let left = this.#size
    for (const [at, one] of this.#sizes.entries()) {
      if (at >= excess && left <= MAX_CHARACTERS) break
      left -= one
      excess = Math.max(excess, at + 1)
    }
    this.#drop(excess)
  }

  /** Events after `seq`, oldest first; undefined when some of them are not here any more. */
  after(seq: number, limit: number): RecordedEvent[] | undefined {
    const first = this.#events[0]
    if (!first || seq + 1 < first.seq) return undefined
    const from = seq + 1 - first.seq
    return this.#events.slice(from, from + limit)
  }

  #drop(count: number): void {
    this.#events.splice(0, count)
    for (const size of this.#sizes.splice(0, count)) this.#size -= size
  }
}
