import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import { type Colour, formatAge, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { WaitView } from '../../src/work/waits/index.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import { collectList, type JsonOption, withJson } from '../context/options.ts'
import { renderLive, type WatchOption, withWatch } from '../context/watch.ts'
import { notFound } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printFields, printTable } from '../io/table.ts'

export function waitCommands(program: Command, context: CommandContext): void {
  const wait = program.command('wait').description('wake sessions when beads are closed')
  createCommand(wait, context)
  listCommand(wait, context)
  withWatch(withJson(wait.command('inspect').alias('show').description('show a wait')))
    .argument('<wait>')
    .addHelpText('after', '\nWith --watch it ends when the wait is over.')
    .action(async (id: string, options: JsonOption & WatchOption) => {
      const city = await context.city()
      await renderLive(context, city, options, (io) => inspect(io, city, id, options))
    })
  endCommand(wait, context, 'ready', 'wake the session of a wait now')
  endCommand(wait, context, 'cancel', 'cancel a wait without waking its session')
}

function endCommand(wait: Command, context: CommandContext, verb: 'ready' | 'cancel', about: string): void {
  withJson(wait.command(verb).description(about))
    .argument('<wait>')
    .action(async (id: string, options: JsonOption) => {
      const city = await context.city()
      const view = await city.call(`POST ~/wait/{id}/${verb}`, { params: { id } }).catch(explainMissing(id))
      if (options.json) return printJson(context.io, view)
      printLine(context.io, `Wait ${id} is ${view.state}.`)
    })
}

interface Create extends JsonOption {
  session?: string
  any?: true
  note?: string
  until?: string
}

function createCommand(wait: Command, context: CommandContext): void {
  withJson(wait.command('create').description('wake a session once beads are closed'))
    .argument('<bead...>', 'beads to wait for')
    .option('--session <session>', 'session; default is this session')
    .option('--any', 'wake it after the first closed bead, instead of the last')
    .option('--note <text>', 'note for the session')
    .option('--until <moment>', 'time to stop waiting, such as 2030-01-31T09:00:00Z')
    .action(async (on: string[], { session, any, note, until, json }: Create) => {
      const city = await context.city()
      const body = {
        on_beads: on,
        mode: any ? ('any' as const) : ('all' as const),
        ...(session !== undefined && { session }),
        ...(note !== undefined && { note }),
        ...(until !== undefined && { expires_at: until }),
      }
      const view = await city.call('POST ~/waits', { body })
      if (json) return printJson(context.io, view)
      printLine(context.io, `Wait ${view.id} of ${view.session_name ?? view.session_id} is ${view.state}.`)
    })
}

const COLOURS: Record<string, Colour> = { ready: 'green' }

interface List extends JsonOption, WatchOption {
  session?: string
  state?: string
}

function listCommand(wait: Command, context: CommandContext): void {
  withWatch(withJson(wait.command('list').description('list open waits, newest first')))
    .option('--session <session>', 'only waits of this session')
    .option('--state <state>', 'pending or ready')
    .action(async (options: List) => {
      const city = await context.city()
      await renderLive(context, city, options, (io) => list(io, city, options))
    })
}

async function list(io: Io, city: CityClient, { json, session, state }: List): Promise<void> {
  const listed = await city.call('GET ~/waits', { query: { session, state } })
  if (json) return printJson(io, withItems(listed, listed.waits))
  const now = Date.now()
  printTable(
    io,
    listed.waits,
    [
      { header: 'WAIT', value: ({ id }) => id },
      { header: 'SESSION', value: ({ session_name, session_id }) => session_name ?? session_id, minWidth: 8 },
      { header: 'STATE', value: (view) => view.state, colour: (view) => COLOURS[view.state] },
      { header: 'FOR', value: ({ dep_mode }) => dep_mode },
      { header: 'BEADS', value: ({ dep_ids }) => dep_ids?.join(' '), minWidth: 8 },
      { header: 'AGE', value: ({ created_at }) => formatAge(created_at, now) },
      { header: 'NOTE', value: ({ note }) => note, minWidth: 8 },
    ],
    'No sessions are waiting for beads.',
  )
  if (listed.capped) printLine(io, 'More waits exist; --session narrows the list.')
}

/** Explains that there is no such wait, which the server only says in codes. */
const explainMissing = (id: string) => (error: unknown) => {
  if (!(error instanceof ApiError) || error.code !== 'wait-not-found') throw error
  throw notFound('wait-not-found', `${sanitizeLine(id)} is not a wait; \`gc wait list\` lists the open ones`)
}

const PENDING_STATES = ['pending', 'ready']

async function inspect(io: Io, city: CityClient, id: string, { json }: JsonOption): Promise<'over' | undefined> {
  const view = await city.call('GET ~/wait/{id}', { params: { id } }).catch(explainMissing(id))
  if (json) printJson(io, view)
  else show(io, view, await readEndReason(city, view))
  return PENDING_STATES.includes(view.state) ? undefined : 'over'
}

/** Reason a wait is over, from the metadata of its bead. */
async function readEndReason(city: CityClient, { id, state }: WaitView): Promise<string | undefined> {
  if (PENDING_STATES.includes(state)) return undefined
  const { metadata } = await city.call('GET ~/bead/{id}', { params: { id } })
  return metadata?.last_error
}

function show(io: Io, view: WaitView, why: string | undefined): void {
  printFields(io, [
    ['wait', view.id],
    ['session', view.session_id],
    ['name', view.session_name],
    ['state', view.state],
    ['why', why],
    ['for', view.dep_mode],
    ['beads', view.dep_ids?.join(' ')],
    ['began', view.created_at],
    ['until', view.expires_at],
    ['reminder', view.nudge_id],
  ])
  if (view.note) printLine(io, `\n${sanitizeLines(view.note)}`)
}

interface SessionWait extends JsonOption {
  onBeads: string[]
  any?: true
  note?: string
  sleep?: true
}

/** `gc session wait`: the words in which prompts of packs create a wait. */
export function sessionWaitCommand(session: Command, context: CommandContext): void {
  withJson(session.command('wait').description('wake a session once beads are closed'))
    .argument('[session]', 'session; default is this session')
    .requiredOption('--on-beads <beads>', 'beads to wait for, separated by commas', collectList)
    .option('--any', 'wake it after the first closed bead, instead of the last')
    .option('--note <text>', 'note for the session')
    .option('--sleep', 'put the session to sleep until then')
    .action(async (id: string | undefined, { onBeads: on, any, note, sleep, json }: SessionWait) => {
      const city = await context.city()
      const body = {
        on_beads: on,
        mode: any ? ('any' as const) : ('all' as const),
        ...(id !== undefined && { session: id }),
        ...(note !== undefined && { note }),
      }
      const view = await city.call('POST ~/waits', { body })
      if (json) return printJson(context.io, view)
      printLine(context.io, `Wait ${view.id} of ${view.session_name ?? view.session_id} is ${view.state}.`)
      if (sleep) printLine(context.io, 'End your turn now: you are woken when it is over.')
    })
}
