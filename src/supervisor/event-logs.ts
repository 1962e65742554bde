import type { City } from '../city/city.ts'
import { parseResumePoint, withWorkflow } from '../city/events/index.ts'
import type { Clock } from '../core/clock.ts'
import { parseDuration } from '../core/durations.ts'
import { AppError } from '../core/errors.ts'
import {
  type EventLog,
  type EventRow,
  type FollowedEvent,
  Follower,
  type LogSource,
  type RecordedEvent,
  toEventText,
} from '../core/events/index.ts'
import type { PullSource } from '../core/pull-source.ts'
import { Signal } from '../core/signal.ts'
import { compareText } from '../core/text/index.ts'
import { fillPage, type JsonRows, MAX_RESPONSE_BYTES, textRows } from '../http/respond/index.ts'
import { type SseFrame, toSseLine } from '../http/sse.ts'
import type { WorkflowEvents } from '../orchestration/runs/index.ts'
import type { RestingCity } from './resting-city.ts'

/** The name of the supervisor's own log beside those of the cities. */
export const SUPERVISOR = '__supervisor__'

export interface TaggedEvent extends RecordedEvent {
  city: string
}

interface TaggedEventPage {
  event_cursor: string
  items: TaggedEvent[]
  total: number
}

export interface TaggedEventQuery {
  type?: string
  actor?: string
  since?: string
  limit?: number
}

/** Parts of a city that concern its events. */
type LoggedCity = Pick<City, 'name' | 'log'> & Partial<Pick<City, 'events'>>

/** The cities whose logs these are. */
interface LoggedCities {
  listRunning(): readonly LoggedCity[]
  /** Those whose logs do not grow until they are opened. */
  listResting(): readonly Pick<RestingCity, 'name' | 'head' | 'newest'>[]
  wake(name: string): unknown
}

/** The most events that are read from one log. */
const MAX_EVENTS = 10_000

/** The logs of all running cities and of the supervisor, as one. */
export class EventLogs {
  readonly #changed = new Signal()

  constructor(
    private readonly own: EventLog,
    private readonly clock: Clock,
    private readonly cities: LoggedCities,
  ) {}

  /** Notifies open streams that a city was opened or closed. */
  notifyChanged(): void {
    this.#changed.emit()
  }

  /** The position of every log, or of that of one city: `name:seq` joined by commas, in order of their names. */
  cursor(city?: string): string {
    return formatCursor(new Map([...this.#logs(city)].map(([name, log]) => [name, log.head])))
  }

  /**
   * Events of all logs, or of that of one city, oldest first: the newest, as many as `limit` and the size of a response
   * allow.
   */
  list({ type, actor, since, limit }: TaggedEventQuery, city?: string): JsonRows<TaggedEventPage> {
    const event_cursor = this.cursor(city)
    const page = {
      ...(type !== undefined && { type }),
      ...(actor !== undefined && { actor }),
      ...(since !== undefined && { since: this.#timestampBefore(since) }),
      limit: limit || MAX_EVENTS,
    }
    const logs = [...this.#logs(city)].map(([name, log]) => ({ name, ...log.newest(page) }))
    const total = logs.reduce((sum, log) => sum + log.total, 0)
    const { items } = fillPage(newestOf(logs), page.limit, toTaggedText, {
      sizeOf: (text) => Buffer.byteLength(text),
      maxBytes: MAX_RESPONSE_BYTES,
    })
    return textRows(items.reverse(), { event_cursor, total })
  }

  /**
   * Follows every log, or that of one city, after `resume`, or from now on. A city that is opened later joins with what
   * it records from then on. An invalid resume point is rejected before the stream begins.
   */
  follow(resume: string | undefined, city?: string): PullSource<SseFrame> {
    const at = this.#start(resume, city)
    const sources = { now: () => this.#sourcesAfter(at, city), listen: (changed: () => void) => this.#listen(changed) }
    return new Follower(sources, (followed) => toTaggedFrame(followed, at, this.#workflows(followed.name)))
  }

  /** Every log from the reader's position; a log it did not know starts at its head. */
  #sourcesAfter(at: Map<string, number>, city: string | undefined): LogSource[] {
    return [...this.#sources(city)].map(([name, log]) => {
      const after = at.get(name) ?? log.head
      at.set(name, after)
      return { name, log, after }
    })
  }

  readonly #listen = this.#changed.listen

  #workflows(name: string): WorkflowEvents | undefined {
    return this.cities.listRunning().find((city) => city.name === name)?.events?.workflows
  }

  #sources(only: string | undefined): Map<string, EventLog> {
    const cities = this.cities.listRunning().map(({ name, log }) => [name, log] as const)
    return new Map(only === undefined ? [[SUPERVISOR, this.own], ...cities] : cities.filter(([name]) => name === only))
  }

  /** The logs that can be followed, and those of cities that rest. */
  #logs(only: string | undefined): Map<string, Pick<EventLog, 'head' | 'newest'>> {
    const resting = this.cities.listResting().map((city) => [city.name, city] as const)
    const own = resting.filter(([name]) => only === undefined || name === only)
    return new Map<string, Pick<EventLog, 'head' | 'newest'>>([...this.#sources(only), ...own])
  }

  #start(resume: string | undefined, city: string | undefined): Map<string, number> {
    const cursor = parseCursor(resume?.trim() ?? '')
    const at = [...this.#logs(city)].map(([name, { head }]) => {
      return { name, head, after: cursor === 0 ? 0 : (cursor?.get(name) ?? head) }
    })
    // A log that does not grow has nothing for a reader who has seen it.
    for (const { name, head, after } of at) if (after !== head) this.cities.wake(name)
    return new Map(at.map(({ name, after }) => [name, after]))
  }

  #timestampBefore(since: string): number {
    const duration = parseDuration(since)
    if (duration === undefined) {
      throw new AppError('invalid-request', `since must be a duration such as 30m or 1h30m, not "${since}"`)
    }
    return this.clock.now() - duration
  }
}

const formatCursor = (at: ReadonlyMap<string, number>): string =>
  [...at]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, seq]) => `${name}:${seq}`)
    .join(',')

/** A composite cursor; 0 for all there is, undefined for none. Split at the last colon: names may hold one. */
function parseCursor(text: string): Map<string, number> | 0 | undefined {
  if (text === '') return undefined
  if (text === '0') return 0
  return new Map(
    text.split(',').map((entry) => {
      const colon = entry.lastIndexOf(':')
      if (colon < 1) throw new AppError('invalid-cursor', 'the resume point is name:number pairs joined by commas')
      return [entry.slice(0, colon), parseResumePoint(entry.slice(colon + 1))] as const
    }),
  )
}

/** An event of the supervisor about a city carries that city's name. */
function cityOf(name: string, { type, subject }: Pick<RecordedEvent, 'type'> & { subject?: string | null }): string {
  const about = name === SUPERVISOR && /^request\.(failed|result\.city\.)/.test(type)
  return about && subject ? subject : name
}

/** A row of one of several logs, with the city that it is about. */
interface TaggedRow {
  city: string
  row: EventRow
}

/** The rows of several logs as one, newest first; of each log, no more is read than is taken. */
function* newestOf(logs: readonly { name: string; rows: Iterable<EventRow> }[]): Generator<TaggedRow> {
  const readers = logs.map(({ name, rows }) => ({ name, rows: rows[Symbol.iterator]() }))
  const next = (log: (typeof readers)[number]) => {
    const { value: row, done } = log.rows.next()
    return done ? undefined : { log, row, city: cityOf(log.name, row) }
  }
  try {
    const heads = readers.flatMap((log) => next(log) ?? []).sort(byAge)
    for (let newest = heads.pop(); newest; newest = heads.pop()) {
      yield newest
      const follower = next(newest.log)
      if (follower) heads.splice(placeOf(follower, heads), 0, follower)
    }
  } finally {
    for (const { rows } of readers) rows.return?.()
  }
}

/** The oldest first. */
const byAge = (a: TaggedRow, b: TaggedRow): number =>
  a.row.at - b.row.at || compareText(a.city, b.city) || a.row.seq - b.row.seq

/** The place of a row among others that are sorted by age. */
function placeOf(row: TaggedRow, sorted: readonly TaggedRow[]): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const other = sorted[middle]
    if (other && byAge(other, row) < 0) low = middle + 1
    else high = middle
  }
  return low
}

const toTaggedText = ({ city, row }: TaggedRow): string =>
  `${toEventText(row).slice(0, -1)},"city":${JSON.stringify(city)}}`

const toTaggedEvent = (name: string, recorded: RecordedEvent): TaggedEvent => ({
  ...recorded,
  city: cityOf(name, recorded),
})

function toTaggedFrame(
  { name, event: recorded, gap }: FollowedEvent,
  at: Map<string, number>,
  workflows: WorkflowEvents | undefined,
): SseFrame {
  at.set(name, recorded?.seq ?? gap?.to ?? 0)
  const id = formatCursor(at)
  if (gap) return { id, event: 'gap', data: { type: 'gap', city: name, ...gap } }
  return { id, event: 'tagged_event', data: toSseLine(withWorkflow(toTaggedEvent(name, recorded), workflows)) }
}
