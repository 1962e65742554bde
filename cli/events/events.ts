import { type Command, InvalidArgumentError } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import type { CityFrame, TaggedFrame } from '../../src/client/events.ts'
import type { FollowOptions } from '../../src/client/follow.ts'
import { isRecord } from '../../src/client/json.ts'
import type { CityEvent, TaggedEvent } from '../../src/client/operations.ts'
import { paint, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { parseDate } from '../context/dates.ts'
import { type JsonOption, oldSpelling, parseCount, parseDurationOption, withJson } from '../context/options.ts'
import { readPages } from '../context/pages.ts'
import { failure, usageError } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { timers } from '../io/timers.ts'
import { recordCommands } from './record.ts'

interface Options extends JsonOption {
  follow?: true
  watch?: true
  timeout?: number
  all?: true
  type?: string
  actor?: string
  since?: Since
  after?: number
  seq?: true
  limit?: number
  payloadMatch?: readonly PayloadMatch[]
  afterCursor?: string
}

/** A place in a payload, and the value that stands there. */
interface PayloadMatch {
  path: readonly string[]
  value: string
}

/** A start of past events: as it was given, and as the API takes it, which is an age. */
interface Since {
  readonly given: string
  readonly age: string
}

function parseSince(given: string): Since {
  const isAge = /^(?:\d{1,6}(?:ms|[smh]))+$/.test(given)
  return { given, age: isAge ? given : `${Math.max(0, Date.now() - parseDate(given))}ms` }
}

function collectPayload(text: string, before: readonly PayloadMatch[] = []): PayloadMatch[] {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must look like key=value or key.subkey=value.')
  return [...before, { path: text.slice(0, at).split('.'), value: text.slice(at + 1) }]
}

type AnyEvent = CityEvent | TaggedEvent

const DEFAULT_LIMIT = 50
/** Maximum events that `--since` shows without `--limit`. */
const MAX_PAST = 10_000
/** The maximum number of events in a request. */
const PAGE_SIZE = 1000

export function eventsCommand(program: Command, context: CommandContext): void {
  const events = program.command('events').alias('event')
  withJson(events.description('show or follow events'))
    .option('-f, --follow', 'follow new events')
    .option('-w, --watch', 'wait for one event and end')
    .option(
      '--timeout <duration>',
      'timeout, such as 30s; with --watch and no event the status is 1',
      parseDurationOption,
    )
    .option('--all', 'include all cities and the supervisor')
    .option('--type <type>', 'only this type, such as bead.closed')
    .option('--actor <name>', 'only this actor')
    .option('--since <time>', 'since a date, or an age such as 10m or 2d', parseSince)
    .option('--payload-match <key=value>', 'only with this value in the payload; may be repeated', collectPayload)
    .option('--after <number>', 'only after this event', parseCount)
    .option('--seq', 'print the number of the last event')
    .addOption(oldSpelling('--tail', 'follow'))
    .option('--after-cursor <cursor>', 'only after this cursor, with --all')
    .option('--api <url>', 'accepted: GC_URL names the supervisor')
    .option('--limit <n>', `maximum rows; default is ${DEFAULT_LIMIT}, with --since all`, parseCount)
    .addHelpText('after', '\nWith --json each event is one line of JSON.')
    .action((options: Options) => (options.all ? eventsOfAllCities(context, options) : eventsOfCity(context, options)))
  recordCommands(events, context)
}

const isFollowing = ({ follow, watch }: Options): boolean => Boolean(follow || watch)

async function eventsOfCity(context: CommandContext, options: Options): Promise<void> {
  const city = await context.city()
  const { events, head } = await readPast(context.io, city, options)
  if (options.seq) return printLine(context.io, String(head))
  for (const event of events.reverse()) print(context.io, event, options)
  if (events.length === 0 && !isFollowing(options)) reportNone(context.io, options)
  if (options.after === undefined && !isFollowing(options)) return
  const after = options.after ?? head
  if (!isFollowing(options) && after >= head) return
  const open = (follow: FollowOptions) => city.follow('GET ~/events/stream', {}, follow)
  await printFollowing(context.io, options, open, String(after), isFollowing(options) ? undefined : head)
}

async function eventsOfAllCities(context: CommandContext, options: Options): Promise<void> {
  if (options.after !== undefined) throw usageError('--after is the number of an event of one city; remove --all')
  if (options.afterCursor !== undefined && !isFollowing(options)) throw usageError('--after-cursor needs --follow')
  const { type, actor, since, limit = DEFAULT_LIMIT } = options
  const supervisor = await context.supervisor()
  const { items, event_cursor } = await supervisor.call('GET /v0/events', {
    query: { type, actor, since: since?.age, limit },
  })
  if (options.seq) return printLine(context.io, event_cursor)
  const past = items.filter((event) => (options.payloadMatch ?? []).every(hasValue(event)))
  if (!isFollowing(options) || since !== undefined) for (const event of past) print(context.io, event, options)
  if (items.length === 0 && !isFollowing(options)) reportNone(context.io, options)
  if (isFollowing(options))
    await printFollowing(
      context.io,
      options,
      (follow) => supervisor.follow('GET /v0/events/stream', {}, follow),
      options.afterCursor ?? event_cursor,
    )
}

/** The selected past events, newest first, and the number of the newest event of all. */
async function readPast(io: Io, city: CityClient, options: Options): Promise<{ events: CityEvent[]; head: number }> {
  const { type, actor, since, seq, after, limit = since === undefined ? DEFAULT_LIMIT : MAX_PAST } = options
  const none = seq || after !== undefined || (isFollowing(options) && since === undefined)
  const events: CityEvent[] = []
  let head: number | undefined
  const read = async (cursor: string | undefined) => {
    const query = {
      type,
      actor,
      since: since?.age,
      cursor,
      limit: none ? 1 : Math.min(PAGE_SIZE, limit - events.length),
    }
    const { answer, index } = await city.callIndexed('GET ~/events', { query })
    head ??= Number(index)
    return answer
  }
  let isCut = false
  for await (const page of readPages(read)) {
    if (none) break
    events.push(...page.items.filter((event) => (options.payloadMatch ?? []).every(hasValue(event))))
    isCut = Boolean(page.next_cursor)
    if (events.length >= limit) break
  }
  if (isCut && options.limit === undefined && since !== undefined)
    io.err(`gc: showing only the last ${MAX_PAST}; --limit shows more\n`)
  return { events, head: head ?? 0 }
}

/** Prints the events after a number, until `last`, an interrupt, the first match of `--watch` or the timeout. */
async function printFollowing(
  io: Io,
  options: Options,
  open: (follow: FollowOptions) => AsyncGenerator<CityFrame | TaggedFrame>,
  after: string,
  last = Number.POSITIVE_INFINITY,
): Promise<void> {
  const late = new AbortController()
  const timer = options.timeout === undefined ? undefined : timers.after(options.timeout, () => late.abort())
  const isOpenEnded = last === Number.POSITIVE_INFINITY && options.timeout === undefined
  if (isOpenEnded && !options.json) io.err('gc: waiting for events; ctrl-c ends\n')
  try {
    for await (const frame of open({ signal: AbortSignal.any([io.signal, late.signal]), timers, after })) {
      if (frame.event === 'gap') reportGap(io, frame.data)
      else {
        const event = frame.data
        const matches = isMatch(event, options)
        if (matches) print(io, event, options)
        if ((matches && options.watch) || event.seq >= last) return
      }
    }
  } finally {
    timer?.cancel()
  }
  if (late.signal.aborted && options.watch) throw failure(`no event within ${(options.timeout ?? 0) / 1000} s`)
}

const isMatch = (event: AnyEvent, { type, actor, payloadMatch = [] }: Options): boolean =>
  (!type || event.type === type) && (!actor || event.actor === actor) && payloadMatch.every(hasValue(event))

const hasValue =
  ({ payload }: AnyEvent) =>
  ({ path, value }: PayloadMatch): boolean => {
    const found = path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), payload)
    return (typeof found === 'string' ? found : JSON.stringify(found)) === value
  }

/** Says which events there are none of, so that a misspelled type is not taken for a quiet city. */
function reportNone(io: Io, { type, actor, since, after, json }: Options): void {
  if (json || after !== undefined) return
  const parts = [
    type && `of type ${type}`,
    actor && `by ${actor}`,
    since && (/^\d{4}-/.test(since.given) ? `since ${since.given}` : `in the last ${since.given}`),
  ]
  const which = parts.filter((part) => part).join(' ')
  io.err(`gc: no event ${which === '' ? 'is stored yet' : `${sanitizeLine(which)} is stored`}
`)
}

const reportGap = (io: Io, data: unknown): void =>
  io.err(`gc: some events are missing because they are no longer stored (${JSON.stringify(data)})\n`)

function print(io: Io, event: AnyEvent, options: JsonOption): void {
  if (options.json) printJson(io, event)
  else printLine(io, formatEvent(event, io))
}

/** An event on one line: its time, type, subject and actor. */
export function formatEvent(event: AnyEvent, io: Pick<Io, 'colour' | 'width'>): string {
  const time = new Date(event.ts).toLocaleTimeString('en-GB')
  const type = sanitizeLine(event.type).padEnd(24)
  const rest = [
    'city' in event && `[${event.city}]`,
    event.subject,
    titleOf(event.payload),
    event.message,
    event.actor && `by ${event.actor}`,
  ]
  const text = rest
    .filter((part) => part)
    .map((part) => sanitizeLine(String(part)))
    .join('  ')
  const room = io.width === undefined ? text : truncate(text, Math.max(10, io.width - time.length - type.length - 4))
  return `${paint(time, 'dim', io.colour)}  ${paint(type, 'cyan', io.colour)}  ${room}`
}

/** The title of the bead of an event, or the text of its comment. */
function titleOf(payload: unknown): string | undefined {
  if (!isRecord(payload)) return undefined
  if (isRecord(payload.bead) && 'title' in payload.bead) return `“${String(payload.bead.title)}”`
  return isRecord(payload.comment) ? `“${String(payload.comment.text)}”` : undefined
}
