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

/** How many past events the page of a city starts with. */
const PAST_EVENTS = 100
/** A burst of events is shown by one redraw. */
const REDRAW_MS = 50
/** A burst of events causes one refresh of the lists. */
const REFRESH_MS = 300

/** Keeps what a view shows up to date until the signal aborts: reads and follows the server, dispatches actions. */
export function feed(options: FeedOptions, view: View, signal: AbortSignal): void {
  feedView(options, view, signal).catch((error) => {
    if (!signal.aborted) options.dispatch({ type: 'notice', text: errorMessage(error), bad: true })
  })
}

function feedView(options: FeedOptions, view: View, signal: AbortSignal): Promise<void> {
  if (view.page === 'cities') return feedCities(options, signal)
  const city = options.client.city(view.city)
  if (view.page === 'city') return feedCity(options, city, signal)
  return view.page === 'session'
    ? feedSession(options, city, view.session, signal)
    : feedBead(options, city, view.bead, signal)
}

async function feedCities(options: FeedOptions, signal: AbortSignal): Promise<void> {
  const { client, dispatch, now } = options
  const read = async () => {
    const { items } = await client.call('GET /v0/cities', { signal })
    dispatch({ type: 'cities', cities: items, now: now() })
  }
  const refresh = coalesce(options, REFRESH_MS, read, signal)
  for await (const _ of client.follow('GET /v0/events/stream', {}, followOptions(options, refresh, signal))) refresh()
}

async function feedCity(options: FeedOptions, city: CityClient, signal: AbortSignal): Promise<void> {
  const { dispatch, now } = options
  const refresh = coalesce(options, REFRESH_MS, () => readCity(options, city, signal), signal)
  const past = await city.call('GET ~/events', { query: { limit: PAST_EVENTS }, signal })
  const events = past.items.map(toEventRow).reverse()
  dispatch({ type: 'events', events, now: now() })
  let pending: EventRow[] = []
  const flush = async () => dispatch({ type: 'events', events: pending.splice(0), now: now() })
  const redraw = coalesce(options, REDRAW_MS, flush, signal)
  const following = { ...followOptions(options, refresh, signal), after: String(events.at(-1)?.seq ?? 0) }
  for await (const frame of city.follow('GET ~/events/stream', {}, following)) {
    if (frame.event !== 'event') continue
    pending = [...pending, toEventRow(frame.data)].slice(-PAST_EVENTS)
    redraw()
    refresh()
  }
}

async function readCity({ dispatch, now }: FeedOptions, city: CityClient, signal: AbortSignal): Promise<void> {
  const [attention, agents, sessions, beads] = await Promise.all([
    city.call('GET ~/attention', { signal }),
    city.call('GET ~/agents', { signal }),
    city.call('GET ~/sessions', { query: { limit: 200 }, signal }),
    city.call('GET ~/beads', { query: { limit: 200 }, signal }),
  ])
  dispatch({
    type: 'city',
    attention: attention.items,
    agents: agents.items,
    sessions: sessions.items,
    beads: beads.items.filter((bead) => bead.issue_type !== 'session'),
    now: now(),
  })
}

async function feedSession(
  options: FeedOptions,
  city: CityClient,
  session: string,
  signal: AbortSignal,
): Promise<void> {
  const { dispatch, now } = options
  const refresh = coalesce(options, REFRESH_MS, () => readCity(options, city, signal), signal)
  const input = { params: { id: session } }
  for await (const frame of city.follow('GET ~/session/{id}/stream', input, followOptions(options, refresh, signal))) {
    if (frame.event === 'turn') dispatch({ type: 'screen', lines: linesOf(frame.data.turns), now: now() })
    else refresh()
  }
}

async function feedBead(options: FeedOptions, city: CityClient, id: string, signal: AbortSignal): Promise<void> {
  const { dispatch, now } = options
  const read = async () => {
    const bead = await city.call('GET ~/bead/{id}', { params: { id }, signal })
    dispatch({ type: 'bead', bead, now: now() })
  }
  const refresh = coalesce(options, REFRESH_MS, read, signal)
  for await (const frame of city.follow('GET ~/events/stream', {}, followOptions(options, refresh, signal))) {
    if (frame.event === 'event' && frame.data.subject === id) refresh()
  }
}

/** How a stream is followed: whenever it connects, `refresh` reads again what may have changed meanwhile. */
const followOptions = (
  { timers, dispatch, now }: FeedOptions,
  refresh: () => void,
  signal: AbortSignal,
): FollowOptions => ({
  signal,
  timers,
  onStateChange: (state) => {
    dispatch({ type: 'connection', live: state === 'connected', now: now() })
    if (state === 'connected') refresh()
  },
})

/** Runs `task` once for all calls within `ms`, never twice at a time, and always after the last call. */
function coalesce(
  { timers, dispatch }: FeedOptions,
  ms: number,
  task: () => Promise<void>,
  signal: AbortSignal,
): () => void {
  let isScheduled = false
  let isRunning = false
  const run = async () => {
    if (isRunning) return void timers.after(ms, () => void run())
    isScheduled = false
    isRunning = true
    try {
      if (!signal.aborted) await task()
    } catch (error) {
      if (!signal.aborted) dispatch({ type: 'notice', text: errorMessage(error), bad: true })
    } finally {
      isRunning = false
    }
  }
  return () => {
    if (isScheduled || signal.aborted) return
    isScheduled = true
    timers.after(ms, () => void run())
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

const linesOf = (turns: readonly OutputTurn[]): string[] =>
  turns
    .map(({ text }) => text)
    .join('\n')
    .split('\n')

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
