import type { City } from '../city/city.ts'
import { resumePoint } from '../city/events/events.ts'
import { projected } from '../city/events/frames.ts'
import type { Clock } from '../core/clock.ts'
import { parseDuration } from '../core/durations.ts'
import { AppError } from '../core/errors.ts'
import type { Recorded } from '../core/events/event.ts'
import { type Followed, Follower, type Source } from '../core/events/follow.ts'
import type { EventLog } from '../core/events/log.ts'
import type { Tail } from '../core/tail.ts'
import { type Frame, line } from '../http/sse.ts'
import type { WorkflowEvents } from '../orchestration/runs/projection.ts'

/** The name of the supervisor's own log beside those of the cities. */
export const SUPERVISOR = '__supervisor__'

export interface Tagged extends Recorded {
  city: string
}

export interface Wanted {
  type?: string
  actor?: string
  since?: string
  limit?: number
}

/** Events of one log that are looked at when nobody says how many. */
const MOST = 10_000

/** The logs of all running cities and of the supervisor, as one. */
export class Logs {
  readonly #listeners = new Set<() => void>()

  constructor(
    private readonly own: EventLog,
    private readonly clock: Clock,
    private readonly cities: () => readonly City[],
  ) {}

  /** Tells open streams that a city came up or went away. */
  changed(): void {
    for (const changed of this.#listeners) changed()
  }

  /** Where every log stands: `name:seq` joined by commas, names ascending. */
  cursor(): string {
    return written(new Map([...this.#sources()].map(([name, log]) => [name, log.head])))
  }

  /** Events of all logs, oldest first; `limit` keeps the newest. */
  list({ type, actor, since, limit }: Wanted): { event_cursor: string; items: Tagged[]; total: number } {
    const event_cursor = this.cursor()
    const page = {
      ...(type !== undefined && { type }),
      ...(actor !== undefined && { actor }),
      ...(since !== undefined && { since: this.#ago(since) }),
      limit: limit || MOST,
    }
    let total = 0
    const found: Tagged[] = []
    for (const [name, log] of this.#sources()) {
      const { items, total: some } = log.page(page)
      total += some
      for (const recorded of items) found.push(tagged(name, recorded))
    }
    found.sort((a, b) => compare(a.ts, b.ts) || compare(a.city, b.city) || a.seq - b.seq)
    return { event_cursor, items: found.slice(-page.limit), total }
  }

  /**
   * Follows every log after `resume`, or from now on. A city that comes up meanwhile joins with what it records from
   * then on. Refuses a resume point that is none before the stream begins.
   */
  follow(resume: string | undefined): Tail<Frame> {
    const at = this.#start(resume)
    const sources = { now: () => this.#from(at), listen: (changed: () => void) => this.#listen(changed) }
    return new Follower(sources, (followed) => frameOf(followed, at, this.#workflows(followed.name)))
  }

  /** Every log after where a reader is in it; it begins now with what it did not know. */
  #from(at: Map<string, number>): Source[] {
    return [...this.#sources()].map(([name, log]) => {
      const after = at.get(name) ?? log.head
      at.set(name, after)
      return { name, log, after }
    })
  }

  #listen(changed: () => void): () => void {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }

  #workflows(name: string): WorkflowEvents | undefined {
    return this.cities().find((city) => city.name === name)?.events.workflows
  }

  #sources(): Map<string, EventLog> {
    return new Map([[SUPERVISOR, this.own], ...this.cities().map((city) => [city.name, city.log] as const)])
  }

  #start(resume: string | undefined): Map<string, number> {
    const sources = this.#sources()
    const given = read(resume?.trim() ?? '')
    return new Map([...sources].map(([name, log]) => [name, given === 0 ? 0 : (given?.get(name) ?? log.head)] as const))
  }

  #ago(since: string): number {
    const length = parseDuration(since)
    if (length === undefined) {
      throw new AppError('invalid-request', `since takes a length of time such as 30m or 1h30m, not "${since}"`)
    }
    return this.clock.now() - length
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const written = (at: ReadonlyMap<string, number>): string =>
  [...at]
    .sort(([a], [b]) => compare(a, b))
    .map(([name, seq]) => `${name}:${seq}`)
    .join(',')

/** A composite cursor; 0 for all there is, undefined for none. Split at the last colon: names may hold one. */
function read(text: string): Map<string, number> | 0 | undefined {
  if (text === '') return undefined
  if (text === '0') return 0
  return new Map(
    text.split(',').map((entry) => {
      const colon = entry.lastIndexOf(':')
      if (colon < 1) throw new AppError('invalid-cursor', 'the resume point is name:number pairs joined by commas')
      return [entry.slice(0, colon), resumePoint(entry.slice(colon + 1))] as const
    }),
  )
}

/** What the supervisor says about a city carries that city's name. */
function cityOf(name: string, recorded: Recorded): string {
  const about = /^request\.(failed|result\.city\.)/.test(recorded.type)
  return name === SUPERVISOR && about && recorded.subject ? recorded.subject : name
}

const tagged = (name: string, recorded: Recorded): Tagged => ({ ...recorded, city: cityOf(name, recorded) })

function frameOf(
  { name, recorded, gap }: Followed,
  at: Map<string, number>,
  workflows: WorkflowEvents | undefined,
): Frame {
  at.set(name, recorded?.seq ?? gap?.to ?? 0)
  const id = written(at)
  if (gap) return { id, event: 'gap', data: { type: 'gap', city: name, ...gap } }
  return { id, event: 'tagged_event', data: line(projected(tagged(name, recorded), workflows)) }
}
