import { type Command, Option } from 'commander'
import type { OutputTurn, TranscriptFormat } from '../../src/agents/conversations/index.ts'
import { isRecord } from '../../src/client/json.ts'
import type { FrameOf } from '../../src/client/operations.ts'
import { paint, sanitizeLine, sanitizeLines, truncate } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, oldSpelling, parseCount } from '../context/options.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { timers } from '../io/timers.ts'
import { because } from './unavailable.ts'

type Structured = Extract<FrameOf<'GET ~/session/{id}/stream'>, { event: 'structured' }>
export type Message = Structured['data']['structured_messages'][number]

/** The format that has what tools were given and returned. */
const WHOLE = 'structured'

const FORMATS = ['conversation', 'raw', 'structured'] as const satisfies readonly TranscriptFormat[]

interface Options extends JsonOption {
  view?: TranscriptFormat
  tail: number
  follow?: true
  subAgents?: true
}

export function transcriptCommand(session: Command, context: CommandContext): void {
  const formats = new Option('--view <view>', 'view; default is conversation, or structured with --json').choices(
    FORMATS,
  )
  session
    .command('transcript')
    .alias('logs')
    .description('show the conversation of a session')
    .option('--json', 'print JSON')
    .argument('<session>')
    .addOption(formats)
    .addOption(oldSpelling('--format <view>', 'view').choices(FORMATS))
    .option('--tail <n>', 'number of last entries; 0 for all', parseCount, 0)
    .option('-f, --follow', 'follow new entries')
    .option('--sub-agents', 'include conversations of sub-agents')
    .addHelpText('after', '\nEntries of the views raw and structured are printed as one line of JSON each.')
    .action((id: string, options: Options) =>
      options.follow ? followTranscript(context, id, options) : readTranscript(context, id, options),
    )
}

/** Prints the transcript of a session once. */
export async function readTranscript(context: CommandContext, id: string, options: Options): Promise<void> {
  const { view: format = 'conversation', tail, json, subAgents } = options
  const city = await context.city()
  if (json) return printWhole(context, id, options)
  const response = await city.call('GET ~/session/{id}/transcript', { params: { id }, query: { format } })
  if ('structured_messages' in response) return printEach(context.io, last(response.structured_messages, tail))
  if ('messages' in response) return printEach(context.io, last(response.messages, tail))
  if (response.format === 'text') for (const turn of last(response.turns ?? [], tail)) print(context.io, turn)
  else await readMessages(context, id, tail)
  if (!response.turns) printLine(context.io, 'It has no entries yet.')
  await readSubAgents(context, id, { tail, shown: subAgents === true })
}

/** Prints the answer of the server, with whole inputs and results of tools unless another format is asked for. */
async function printWhole(
  context: CommandContext,
  id: string,
  { view: format = WHOLE, subAgents }: Options,
): Promise<void> {
  const city = await context.city()
  const transcript = await city.call('GET ~/session/{id}/transcript', { params: { id }, query: { format } })
  if (!subAgents) return printJson(context.io, transcript)
  const { agents } = await city.call('GET ~/session/{id}/agents', { params: { id } })
  const path = 'GET ~/session/{id}/agents/{agentId}/transcript'
  const all: object[] = []
  for (const { agent_id: agentId } of agents) {
    all.push({ agent_id: agentId, ...(await city.call(path, { params: { id, agentId }, query: { format } })) })
  }
  printJson(context.io, { ...transcript, sub_agents: all })
}

/** Prints a conversation with what each tool was given, which only the structured format has. */
async function readMessages(context: CommandContext, id: string, tail: number): Promise<void> {
  const city = await context.city()
  const query = { format: WHOLE } as const
  const response = await city.call('GET ~/session/{id}/transcript', { params: { id }, query })
  if (!('structured_messages' in response)) return
  for (const turn of last(response.structured_messages.flatMap(turnOf), tail)) print(context.io, turn)
}

/** Prints the conversations of sub-agents, or reports on stderr that there are some. */
async function readSubAgents(
  context: CommandContext,
  id: string,
  { tail, shown }: { tail: number; shown: boolean },
): Promise<void> {
  const { io } = context
  const city = await context.city()
  const { agents } = await city.call('GET ~/session/{id}/agents', { params: { id } })
  if (!shown && agents.length > 0) {
    const count = agents.length === 1 ? '1 sub-agent' : `${agents.length} sub-agents`
    io.err(`gc: ${count} not shown; use --sub-agents\n`)
  }
  for (const { agent_id: agentId } of shown ? agents : []) {
    const path = 'GET ~/session/{id}/agents/{agentId}/transcript'
    const transcript = await city.call(path, { params: { id, agentId }, query: { format: WHOLE } })
    if (!('structured_messages' in transcript)) continue
    for (const turn of last(transcript.structured_messages.flatMap(turnOf), tail)) {
      print(io, { ...turn, role: `${turn.role} (sub-agent ${sanitizeLine(agentId)})` })
    }
  }
}

const last = <T>(all: readonly T[], count: number): readonly T[] => (count === 0 ? all : all.slice(-count))

/** Follows a session; a conversation that begins while its screen is followed is printed from its start. */
async function followTranscript(context: CommandContext, id: string, options: Options): Promise<void> {
  const { json, view: format = 'conversation' } = options
  if (json || format !== 'conversation') return followFrames(context, id, { ...options, isRead: false })
  const isRead = await hasConversation(context, id)
  const began = new AbortController()
  await followFrames(context, id, { ...options, isRead, began })
  if (began.signal.aborted) await followFrames(context, id, { ...options, isRead: true })
}

/** Prints the frames of a stream until the user interrupts it or the session is closed. */
async function followFrames(
  context: CommandContext,
  id: string,
  { view: format, json, isRead, began }: Options & { isRead: boolean; began?: AbortController },
): Promise<void> {
  const { io } = context
  const city = await context.city()
  const closed = new AbortController()
  const signal = AbortSignal.any([io.signal, closed.signal, ...(began ? [began.signal] : [])])
  const onStateChange = async (state: 'connected' | 'disconnected') => {
    if (state === 'disconnected' && (await isClosed(context, id))) closed.abort()
  }
  let shown = false
  const growing = new GrowingMessages()
  const query = { format: isRead ? WHOLE : (format ?? (json ? WHOLE : 'conversation')) }
  const frames = city.follow(
    'GET ~/session/{id}/stream',
    { params: { id }, query },
    { signal, timers, onStateChange: (state) => void onStateChange(state) },
  )
  for await (const frame of frames) {
    if (json) printJson(io, frame.data)
    else if (isRead && frame.event === 'structured')
      for (const turn of growing.add(frame.data.structured_messages)) print(io, turn)
    else if (began && frame.event === 'turn' && frame.data.format === 'conversation') began.abort()
    else shown = show(io, frame, shown) || shown
  }
  for (const turn of growing.end()) print(io, turn)
  if (io.signal.aborted || began?.signal.aborted) return
  const session = await city.call('GET ~/session/{id}', { params: { id } })
  if (session.state === '') io.err(`gc: session ${id} is closed${because(session)}\n`)
}

/** True if a session has a conversation to follow, not only a screen. */
async function hasConversation(context: CommandContext, id: string): Promise<boolean> {
  const city = await context.city()
  const { format } = await city.call('GET ~/session/{id}/transcript', {
    params: { id },
    query: { format: 'conversation' },
  })
  return format === 'conversation'
}

async function isClosed(context: CommandContext, id: string): Promise<boolean> {
  const city = await context.city()
  const { state } = await city.call('GET ~/session/{id}', { params: { id } })
  return state === ''
}

/** Prints what is new in a frame; returns whether anything was. */
function show(io: Io, { event, data }: FrameOf<'GET ~/session/{id}/stream'>, before: boolean): boolean {
  switch (event) {
    case 'structured':
      printEach(io, data.structured_messages)
      return true
    case 'message':
      printEach(io, data.messages)
      return true
    case 'turn':
      if (data.format === 'text' && before) printLine(io, '')
      for (const turn of data.turns) print(io, turn)
      return true
    default:
      return false
  }
}

function printEach(io: Io, entries: readonly unknown[]): void {
  for (const entry of entries) printJson(io, entry)
}

function print(io: Io, { role, text, timestamp }: OutputTurn): void {
  const time = timestamp === undefined ? '' : `${new Date(timestamp).toLocaleTimeString('en-GB')}  `
  if (role !== 'output') printLine(io, `${paint(time, 'dim', io.colour)}${paint(role, 'cyan', io.colour)}`)
  printLine(io, `${sanitizeLines(text)}\n`)
}

/** Maximum length of what a tool was given, and of its result. */
const MAX_TOOL_TEXT = 500

/** A message as a turn; none for one that shows nothing. */
export function turnOf({ role, blocks, timestamp }: Message): OutputTurn[] {
  const text = blocks
    .map(blockText)
    .filter((part) => part !== '')
    .join('\n')
  return text === '' ? [] : [{ role, text, ...(timestamp !== undefined && { timestamp }) }]
}

function blockText(block: Message['blocks'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text ?? ''
    case 'thinking':
      return '[thinking]'
    case 'tool_use':
      return `[${block.name ?? 'tool'}] ${truncate(inputText(block.input), MAX_TOOL_TEXT)}`.trimEnd()
    case 'tool_result':
      return `[result] ${truncate(block.content ?? '', MAX_TOOL_TEXT)}`
    default:
      return ''
  }
}

/** The input of a tool call, on one line: long texts after what is named with them. */
function inputText(input: unknown): string {
  if (!isRecord(input)) return ''
  const { kind: _, patch, arguments: named, todos, steps, ...rest } = input
  const lists = [todos, steps].filter(Array.isArray).flat().filter(isRecord)
  return [
    ...strings(rest),
    ...(Array.isArray(named) ? named.filter(isRecord) : []).map(({ name, value }) => `${name}=${value}`),
    ...lists.map(({ content, step, status }) => `${content ?? step ?? ''} (${status ?? 'pending'})`),
    ...strings(patch),
  ]
    .join(' · ')
    .replaceAll(/\s*\n\s*/g, ' ⏎ ')
}

function strings(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : []
}

/** Prints each block of messages that grow, once it is complete. */
export class GrowingMessages {
  readonly #shown = new Map<string, number>()
  readonly #held = new Map<string, Message>()

  /** The turns to print of messages that are new or were sent again. */
  add(messages: readonly Message[]): OutputTurn[] {
    return messages.flatMap((message) => {
      const { id, blocks, status } = message
      const isGrowing = status === 'partial' && blocks.at(-1)?.type === 'text'
      this.#held.delete(id)
      if (isGrowing) this.#held.set(id, message)
      return this.#take(message, isGrowing ? blocks.length - 1 : blocks.length)
    })
  }

  /** The turns that were still growing when the conversation ended. */
  end(): OutputTurn[] {
    return [...this.#held.values()].flatMap((message) => this.#take(message, message.blocks.length))
  }

  #take(message: Message, until: number): OutputTurn[] {
    const { id, blocks } = message
    const before = this.#shown.get(id) ?? 0
    this.#shown.set(id, Math.max(before, until))
    return turnOf({ ...message, blocks: blocks.slice(before, until) })
  }
}
