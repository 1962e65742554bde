import { type Command, Option } from 'commander'
import type { OutputTurn, TranscriptFormat } from '../../src/agents/conversations/index.ts'
import type { FrameOf } from '../../src/client/operations.ts'
import { paint, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, parseCount } from '../context/options.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { timers } from '../io/timers.ts'

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
  for (const turn of last(response.turns ?? [], tail)) print(context.io, turn)
  if (!response.turns) printLine(context.io, 'It has no entries yet.')
  await readSubAgents(context, id, { tail, shown: subAgents === true })
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
  const input = { params: { id }, query: { format } }
  const frames = city.follow('GET ~/session/{id}/stream', input, {
    signal,
    timers,
    onStateChange: (state) => void onStateChange(state),
  })
  for await (const frame of frames) {
    if (json) printJson(context.io, frame.data)
    else shown = show(context.io, frame, shown) || shown
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
