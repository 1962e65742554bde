import { type Command, Option } from 'commander'
import type { OutputTurn, TranscriptFormat } from '../../src/agents/conversations/index.ts'
import { isRecord } from '../../src/client/json.ts'
import type { FrameOf } from '../../src/client/operations.ts'
import { paint, sanitizeLine, sanitizeLines, truncate } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, parseCount } from '../context/options.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { timers } from '../io/timers.ts'

type Structured = Extract<FrameOf<'GET ~/session/{id}/stream'>, { event: 'structured' }>
type Message = Structured['data']['structured_messages'][number]

interface Options extends JsonOption {
  format: TranscriptFormat
  tail: number
  follow?: true
  subAgents?: true
}

export function transcriptCommand(session: Command, context: CommandContext): void {
  const formats = new Option('--format <format>', 'the format').choices(['conversation', 'raw', 'structured'])
  session
    .command('transcript')
    .alias('logs')
    .description('show the conversation of a session')
    .option('--json', 'print the answer of the server as JSON')
    .argument('<session>')
    .addOption(formats.default('conversation'))
    .option('--tail <n>', 'only the last entries; 0 for all', parseCount, 0)
    .option('-f, --follow', 'follow new entries')
    .option('--sub-agents', 'also the conversations of sub-agents')
    .addHelpText('after', '\nEntries of the formats raw and structured are printed as one line of JSON each.')
    .action((id: string, options: Options) =>
      options.follow ? followTranscript(context, id, options) : read(context, id, options),
    )
}

async function read(context: CommandContext, id: string, { format, tail, json, subAgents }: Options): Promise<void> {
  const city = await context.city()
  const response = await city.call('GET ~/session/{id}/transcript', { params: { id }, query: { format } })
  if (json) return printJson(context.io, response)
  if ('structured_messages' in response) return printEach(context.io, last(response.structured_messages, tail))
  if ('messages' in response) return printEach(context.io, last(response.messages, tail))
  if (response.format === 'text') for (const turn of last(response.turns ?? [], tail)) print(context.io, turn)
  else await readMessages(context, id, tail)
  if (!response.turns) printLine(context.io, 'It has no entries yet.')
  await readSubAgents(context, id, { tail, shown: subAgents === true })
}

/** Prints a conversation with what each tool was given, which only the structured format has. */
async function readMessages(context: CommandContext, id: string, tail: number): Promise<void> {
  const city = await context.city()
  const query = { format: 'structured' } as const
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
    const transcript = await city.call(path, { params: { id, agentId } })
    if (!('turns' in transcript)) continue
    for (const turn of last(transcript.turns ?? [], tail)) {
      print(io, { ...turn, role: `${turn.role} (sub-agent ${sanitizeLine(agentId)})` })
    }
  }
}

const last = <T>(all: readonly T[], count: number): readonly T[] => (count === 0 ? all : all.slice(-count))

/** Prints the frames of a stream until the user interrupts it or the session is closed. */
async function followTranscript(context: CommandContext, id: string, { format, json }: Options): Promise<void> {
  const city = await context.city()
  const closed = new AbortController()
  const signal = AbortSignal.any([context.io.signal, closed.signal])
  const onStateChange = async (state: 'connected' | 'disconnected') => {
    if (state === 'disconnected' && (await isClosed(context, id))) closed.abort()
  }
  let shown = false
  const printed = new Map<string, number>()
  const isRead = format === 'conversation' && !json && (await hasConversation(context, id))
  const input = { params: { id }, query: { format: isRead ? ('structured' as const) : format } }
  const frames = city.follow('GET ~/session/{id}/stream', input, {
    signal,
    timers,
    onStateChange: (state) => void onStateChange(state),
  })
  for await (const frame of frames) {
    if (json) printJson(context.io, frame.data)
    else if (isRead && frame.event === 'structured') printNew(context.io, frame.data.structured_messages, printed)
    else shown = show(context.io, frame, shown) || shown
  }
}

/** Whether a session has a conversation to follow, not only a screen. */
async function hasConversation(context: CommandContext, id: string): Promise<boolean> {
  const city = await context.city()
  const { format } = await city.call('GET ~/session/{id}/transcript', {
    params: { id },
    query: { format: 'conversation' },
  })
  return format === 'conversation'
}

/** Prints the blocks that were not printed before: a message that grows is sent again. */
function printNew(io: Io, messages: readonly Message[], printed: Map<string, number>): void {
  for (const message of messages) {
    const { id, blocks } = message
    const before = printed.get(id) ?? 0
    printed.set(id, blocks.length)
    for (const turn of turnOf({ ...message, blocks: blocks.slice(before) })) print(io, turn)
  }
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
/** The fields of a tool's input that tell what it does, the most telling first. */
const INPUT_FIELDS = [
  ...['command', 'code', 'url', 'pattern', 'query', 'file_path', 'text', 'question', 'description', 'prompt', 'plan'],
  ...['task_id', 'explanation'],
]

/** A message as a turn; none for one that shows nothing. */
function turnOf({ role, blocks, timestamp }: Message): OutputTurn[] {
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

/** The input of a tool call, on one line. */
function inputText(input: unknown): string {
  if (!isRecord(input)) return ''
  const told = INPUT_FIELDS.flatMap((field) => (typeof input[field] === 'string' ? [input[field]] : []))
  const listed = Array.isArray(input.arguments) ? input.arguments.filter(isRecord) : []
  const given = told.length > 0 ? told : listed.map(({ name, value }) => `${name}=${String(value)}`)
  return given.join(' · ').replaceAll(/\s*\n\s*/g, ' ⏎ ')
}
