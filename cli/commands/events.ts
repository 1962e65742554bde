import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { allEvents, cityEvents, eventOf } from '../../src/client/events.ts'
import type { WireEvent } from '../../src/client/operations.ts'
import { cut, paint, plain } from '../../src/client/text.ts'
import type { Here } from '../here.ts'
import { type Io, json, line } from '../io.ts'
import { timers } from '../timers.ts'
import { count, type Json, withJson } from './options.ts'

interface Options extends Json {
  follow?: true
  all?: true
  type?: string
  since?: string
  after?: number
  seq?: true
  limit: number
}

export function eventsCommand(program: Command, here: Here): void {
  withJson(program.command('events').description('what happened in the city, and what happens'))
    .option('-f, --follow', 'go on with what happens from now on')
    .option('--all', 'all cities and the supervisor itself')
    .option('--type <type>', 'only events of this type, such as bead.closed')
    .option('--since <time>', 'only those of the last while, such as 10m or 2h')
    .option('--after <seq>', 'only those after this number', count)
    .option('--seq', 'print the number of the last event and nothing else')
    .option('--limit <n>', 'how many past events', count, 50)
    .addHelpText('after', '\nWith --json each event is one line of JSON.')
    .action((options: Options) => (options.all ? everywhere(here, options) : inCity(here, options)))
}

async function inCity(here: Here, options: Options): Promise<void> {
  const city = await here.city()
  const { events, head } = await past(city, options)
  if (options.seq) return line(here.io, String(head))
  if (options.after === undefined) for (const event of events.reverse()) print(here.io, event, options)
  if (options.after === undefined && !options.follow) return
  const after = String(options.after ?? head)
  if (!options.follow && Number(after) >= head) return
  for await (const frame of cityEvents(city, { signal: here.io.signal, timers, after })) {
    if (frame.event === 'gap') gap(here.io, frame.data)
    const event = eventOf(frame)
    if (event && (!options.type || event.type === options.type)) print(here.io, event, options)
    if (!options.follow && event && event.seq >= head) return
  }
}

async function past(city: CityClient, options: Options): Promise<{ events: WireEvent[]; head: number }> {
  const none = options.seq || options.after !== undefined || (options.follow && !options.since)
  const query = { type: options.type, since: options.since, limit: none ? 1 : options.limit }
  const response = await city.send('GET ~/events', { query })
  const { items } = (await response.json()) as { items: WireEvent[] | null }
  return { events: none ? [] : (items ?? []), head: Number(response.headers.get('X-GC-Index') ?? 0) }
}

async function everywhere(here: Here, options: Options): Promise<void> {
  const query = { type: options.type, since: options.since, limit: options.limit }
  const response = await here.client.send('GET /v0/events', { query })
  const { items, event_cursor } = (await response.json()) as { items: WireEvent[] | null; event_cursor: string }
  if (options.seq) return line(here.io, event_cursor)
  for (const event of items ?? []) print(here.io, event, options)
  if (!options.follow) return
  for await (const frame of allEvents(here.client, { signal: here.io.signal, timers, after: event_cursor })) {
    if (frame.event === 'gap') gap(here.io, frame.data)
    const event = eventOf(frame)
    if (event && (!options.type || event.type === options.type)) print(here.io, event, options)
  }
}

const gap = (io: Io, data: unknown): void =>
  io.err(`gc: events are missing here; they are older than what is kept (${JSON.stringify(data)})\n`)

function print(io: Io, event: WireEvent, options: Json): void {
  if (options.json) json(io, event)
  else line(io, told(event, io))
}

/** An event as one line: when, what, about what, by whom. */
export function told(event: WireEvent, io: Pick<Io, 'colour' | 'width'>): string {
  const time = new Date(event.ts).toLocaleTimeString('en-GB')
  const type = plain(event.type).padEnd(24)
  const rest = [
    event.city && `[${event.city}]`,
    event.subject,
    titleOf(event.payload),
    event.message,
    event.actor && `by ${event.actor}`,
  ]
  const text = rest
    .filter((part) => part)
    .map((part) => plain(String(part)))
    .join('  ')
  const room = io.width === undefined ? text : cut(text, Math.max(10, io.width - time.length - type.length - 4))
  return `${paint(time, 'dim', io.colour)}  ${paint(type, 'cyan', io.colour)}  ${room}`
}

function titleOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('bead' in payload)) return undefined
  const { bead } = payload
  if (typeof bead !== 'object' || bead === null || !('title' in bead)) return undefined
  return `“${String(bead.title)}”`
}
