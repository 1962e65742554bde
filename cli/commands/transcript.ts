import { type Command, Option } from 'commander'
import type { OutputTurn, TranscriptFormat } from '../../src/agents/sessions/schema.ts'
import type { FrameOf } from '../../src/client/operations.ts'
import { paint, plainLines } from '../../src/client/text.ts'
import type { Here } from '../context/context.ts'
import { count, type Json, withJson } from '../context/options.ts'
import { type Io, json, line } from '../io/io.ts'
import { timers } from '../io/timers.ts'

interface Options extends Json {
  format: TranscriptFormat
  tail: number
  follow?: true
}

export function transcriptCommand(session: Command, here: Here): void {
  const formats = new Option('--format <format>', 'how it is shown').choices(['conversation', 'raw', 'structured'])
  withJson(session.command('transcript').alias('logs').description('read what a session said'))
    .argument('<session>')
    .addOption(formats.default('conversation'))
    .option('--tail <n>', 'only the last so many entries; 0 for all', count, 0)
    .option('-f, --follow', 'go on with what it says from now on')
    .addHelpText('after', '\nEntries of the formats raw and structured are printed as one line of JSON each.')
    .action((id: string, options: Options) => (options.follow ? followed(here, id, options) : read(here, id, options)))
}

async function read(here: Here, id: string, { format, tail, json: whole }: Options): Promise<void> {
  const city = await here.city()
  const said = await city.call('GET ~/session/{id}/transcript', { params: { id }, query: { format } })
  if (whole) return json(here.io, said)
  if ('structured_messages' in said) return printEach(here.io, last(said.structured_messages, tail))
  if ('messages' in said) return printEach(here.io, last(said.messages, tail))
  for (const turn of last(said.turns ?? [], tail)) print(here.io, turn)
  if (!said.turns) line(here.io, 'It has said nothing yet.')
}

const last = <T>(all: readonly T[], count: number): readonly T[] => (count === 0 ? all : all.slice(-count))

/** Prints what a stream brings until it is left, or the session is closed. */
async function followed(here: Here, id: string, { format, json: whole }: Options): Promise<void> {
  const city = await here.city()
  const closed = new AbortController()
  const signal = AbortSignal.any([here.io.signal, closed.signal])
  const state = async (now: 'open' | 'lost') => {
    if (now === 'lost' && (await isClosed(here, id))) closed.abort()
  }
  let shown = false
  const input = { params: { id }, query: { format } }
  const frames = city.follow('GET ~/session/{id}/stream', input, { signal, timers, state: (now) => void state(now) })
  for await (const frame of frames) {
    if (whole) json(here.io, frame.data)
    else shown = show(here.io, frame, shown) || shown
  }
}

async function isClosed(here: Here, id: string): Promise<boolean> {
  const city = await here.city()
  const { state } = await city.call('GET ~/session/{id}', { params: { id } })
  return state === ''
}

/** Prints the new of a frame; true when there was any. */
function show(io: Io, { event, data }: FrameOf<'GET ~/session/{id}/stream'>, before: boolean): boolean {
  switch (event) {
    case 'structured':
      printEach(io, data.structured_messages)
      return true
    case 'message':
      printEach(io, data.messages)
      return true
    case 'turn':
      if (data.format === 'text' && before) line(io, '')
      for (const turn of data.turns) print(io, turn)
      return true
    default:
      return false
  }
}

function printEach(io: Io, entries: readonly unknown[]): void {
  for (const entry of entries) json(io, entry)
}

function print(io: Io, { role, text, timestamp }: OutputTurn): void {
  const time = timestamp === undefined ? '' : `${new Date(timestamp).toLocaleTimeString('en-GB')}  `
  if (role !== 'output') line(io, `${paint(time, 'dim', io.colour)}${paint(role, 'cyan', io.colour)}`)
  line(io, `${plainLines(text)}\n`)
}
