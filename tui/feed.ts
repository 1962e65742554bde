import type { OutputTurn } from '../src/agents/sessions/schema.ts'
import type { CityClient, Client } from '../src/client/client.ts'
import type { FollowOptions, Timers } from '../src/client/follow.ts'
import type { CityEvent } from '../src/client/operations.ts'
import type { Action } from './state/reducer.ts'
import type { EventRow, View } from './state/state.ts'

export interface FeedOptions {
  client: Client
  timers: Timers
  now(): number
  dispatch(action: Action): void
}

/** How many events a city's page starts with. */
const PAST = 100
/** Bursts of events become one redraw, and one look at what they changed. */
const FRAME_MS = 50
const LOOK_MS = 300

/** Keeps what a view shows up to date until the signal aborts: server events in, batched actions out. */
export function feed(parts: FeedOptions, view: View, signal: AbortSignal): void {
  const run = { cities: citiesFeed, city: cityFeed, session: sessionFeed, bead: beadFeed }[view.at]
  run(parts, view, signal).catch((error) => {
    if (!signal.aborted) parts.dispatch({ type: 'notice', text: errorMessage(error), bad: true })
  })
}

async function citiesFeed(parts: FeedOptions, _view: View, signal: AbortSignal): Promise<void> {
  const refresh = async () => {
    const { items } = await parts.client.call('GET /v0/cities', { signal })
    parts.dispatch({ type: 'cities', cities: items, at: parts.now() })
  }
  const again = coalesce(parts, LOOK_MS, refresh, signal)
  for await (const _ of parts.client.follow('GET /v0/events/stream', {}, followOptions(parts, again, signal))) again()
}

async function cityFeed(parts: FeedOptions, view: View, signal: AbortSignal): Promise<void> {
  if (view.at !== 'city') return
  const city = parts.client.city(view.city)
  const again = coalesce(parts, LOOK_MS, () => refreshCity(parts, city, signal), signal)
  const past = await city.call('GET ~/events', { query: { limit: PAST }, signal })
  const told = past.items.map(toEventRow).reverse()
  parts.dispatch({ type: 'events', events: told, at: parts.now() })
  let waiting: EventRow[] = []
  const flush = coalesce(
    parts,
    FRAME_MS,
    async () => parts.dispatch({ type: 'events', events: waiting.splice(0), at: parts.now() }),
    signal,
  )
  const options = { ...followOptions(parts, again, signal), after: String(told.at(-1)?.seq ?? 0) }
  for await (const frame of city.follow('GET ~/events/stream', {}, options)) {
    if (frame.event !== 'event') continue
    waiting = [...waiting, toEventRow(frame.data)].slice(-PAST)
    flush()
    again()
  }
}

async function refreshCity(parts: FeedOptions, city: CityClient, signal: AbortSignal): Promise<void> {
  const [attention, agents, sessions, beads] = await Promise.all([
    city.call('GET ~/attention', { signal }),
    city.call('GET ~/agents', { query: {}, signal }),
    city.call('GET ~/sessions', { query: { limit: 200 }, signal }),
    city.call('GET ~/beads', { query: { limit: 200 }, signal }),
  ])
  const work = beads.items.filter((bead) => bead.issue_type !== 'session')
  const { items: waiting } = attention
  const found = { attention: waiting, agents: agents.items, sessions: sessions.items, beads: work }
  parts.dispatch({ type: 'city', ...found, at: parts.now() })
}

async function sessionFeed(parts: FeedOptions, view: View, signal: AbortSignal): Promise<void> {
  if (view.at !== 'session') return
  const city = parts.client.city(view.city)
  const again = coalesce(parts, LOOK_MS, () => refreshCity(parts, city, signal), signal)
  const input = { params: { id: view.session } }
  for await (const frame of city.follow('GET ~/session/{id}/stream', input, followOptions(parts, again, signal))) {
    if (frame.event === 'turn') parts.dispatch({ type: 'screen', lines: linesOf(frame.data.turns), at: parts.now() })
    else again()
  }
}

async function beadFeed(parts: FeedOptions, view: View, signal: AbortSignal): Promise<void> {
  if (view.at !== 'bead') return
  const city = parts.client.city(view.city)
  const read = async () => {
    const bead = await city.call('GET ~/bead/{id}', { params: { id: view.bead }, signal })
    parts.dispatch({ type: 'bead', bead, at: parts.now() })
  }
  const again = coalesce(parts, LOOK_MS, read, signal)
  for await (const frame of city.follow('GET ~/events/stream', {}, followOptions(parts, again, signal))) {
    if (frame.event === 'event' && frame.data.subject === view.bead) again()
  }
}

/** How a stream is followed; whenever it opens, what is shown is read again. */
const followOptions = (parts: FeedOptions, opened: () => void, signal: AbortSignal): FollowOptions => ({
  signal,
  timers: parts.timers,
  onStateChange: (now) => {
    parts.dispatch({ type: 'link', live: now === 'open', at: parts.now() })
    if (now === 'open') opened()
  },
})

/** Calls `work` once for all calls within `ms`, never twice at a time, and always after the last call. */
function coalesce(parts: FeedOptions, ms: number, work: () => Promise<void>, signal: AbortSignal): () => void {
  let armed = false
  let running = false
  const run = async () => {
    if (running) return void parts.timers.after(ms, () => void run())
    armed = false
    running = true
    try {
      if (!signal.aborted) await work()
    } catch (error) {
      if (!signal.aborted) parts.dispatch({ type: 'notice', text: errorMessage(error), bad: true })
    } finally {
      running = false
    }
  }
  return () => {
    if (armed || signal.aborted) return
    armed = true
    parts.timers.after(ms, () => void run())
  }
}

const toEventRow = ({ seq, type, ts, actor, subject = '', message = '' }: CityEvent): EventRow => ({
  seq,
  type,
  ts,
  actor,
  subject,
  message,
})

/** The text of a session's newest turns, as lines. */
const linesOf = (turns: readonly OutputTurn[]): string[] =>
  turns
    .map(({ text }) => text)
    .join('\n')
    .split('\n')

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
