import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ClientProblem } from '../../src/client/problem.ts'
import { ago, type Colour, plain, plainLines } from '../../src/client/text.ts'
import type { WaitView } from '../../src/work/waits/schema.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { draw, type Watch, withWatch } from '../context/watch.ts'
import { failure } from '../io/exit.ts'
import { type Io, json, line } from '../io/io.ts'
import { facts, table } from '../io/table.ts'

export function waitCommands(program: Command, here: Here): void {
  const wait = program.command('wait').description('sessions that wait for beads, and are woken when those are closed')
  createCommand(wait, here)
  listCommand(wait, here)
  withWatch(withJson(wait.command('inspect').alias('show').description('show one wait, also one that is over')))
    .argument('<wait>')
    .addHelpText('after', '\nWith --watch it ends when the wait is over.')
    .action(async (id: string, options: Json & Watch) => {
      const city = await here.city()
      await draw(here, city, options, (io) => inspect(io, city, id, options))
    })
  endCommand(wait, here, 'ready', 'wake the session of a wait now, whether or not its beads are closed')
  endCommand(wait, here, 'cancel', 'end a wait without telling its session')
}

function endCommand(wait: Command, here: Here, verb: 'ready' | 'cancel', about: string): void {
  withJson(wait.command(verb).description(about))
    .argument('<wait>')
    .action(async (id: string, options: Json) => {
      const city = await here.city()
      const view = await city.call(`POST ~/wait/{id}/${verb}`, { params: { id } }).catch(noWait(id))
      if (options.json) return json(here.io, view)
      line(here.io, `Wait ${id} is ${view.state}.`)
    })
}

interface Create extends Json {
  session?: string
  any?: true
  note?: string
  until?: string
}

function createCommand(wait: Command, here: Here): void {
  withJson(wait.command('create').description('wake a session, or remind it, once beads are closed'))
    .argument('<bead...>', 'what to wait for')
    .option('--session <session>', 'who waits; inside a session, itself')
    .option('--any', 'until the first of them is closed, instead of all')
    .option('--note <text>', 'what to tell the session then')
    .option('--until <moment>', 'stop waiting at this moment, such as 2030-01-31T09:00:00Z')
    .action(async (on: string[], { session, any, note, until, json: asJson }: Create) => {
      const city = await here.city()
      const body = {
        on_beads: on,
        mode: any ? ('any' as const) : ('all' as const),
        ...(session !== undefined && { session }),
        ...(note !== undefined && { note }),
        ...(until !== undefined && { expires_at: until }),
      }
      const view = await city.call('POST ~/waits', { body })
      if (asJson) return json(here.io, view)
      line(here.io, `Wait ${view.id} of ${view.session_name ?? view.session_id} is ${view.state}.`)
    })
}

const COLOURS: Record<string, Colour> = { ready: 'green' }

interface List extends Json, Watch {
  session?: string
  state?: string
}

function listCommand(wait: Command, here: Here): void {
  withWatch(withJson(wait.command('list').description('list the waits that are not over, newest first')))
    .option('--session <id>', 'only those of one session, by its id')
    .option('--state <state>', 'pending or ready')
    .action(async (options: List) => {
      const city = await here.city()
      await draw(here, city, options, (io) => list(io, city, options))
    })
}

async function list(io: Io, city: CityClient, { json: asJson, session, state }: List): Promise<void> {
  const listed = await city.call('GET ~/waits', { query: { session, state } })
  if (asJson) return json(io, listed)
  const now = Date.now()
  table(
    io,
    listed.waits,
    [
      { head: 'WAIT', of: ({ id }) => id },
      { head: 'SESSION', of: ({ session_name, session_id }) => session_name ?? session_id, least: 8 },
      { head: 'STATE', of: (view) => view.state, colour: (view) => COLOURS[view.state] },
      { head: 'FOR', of: ({ dep_mode }) => dep_mode },
      { head: 'BEADS', of: ({ dep_ids }) => dep_ids?.join(' '), least: 8 },
      { head: 'AGE', of: ({ created_at }) => ago(created_at, now) },
      { head: 'NOTE', of: ({ note }) => note, least: 8 },
    ],
    'No session waits for a bead.',
  )
  if (listed.capped) line(io, 'There are more than are shown; --session narrows them.')
}

/** Says in words that there is no such wait: the server says it in two that are for programs. */
const noWait = (id: string) => (error: unknown) => {
  if (!(error instanceof ClientProblem) || error.code !== 'wait-not-found') throw error
  throw failure(`${plain(id)} is no wait; \`gc wait list\` shows those that are not over`)
}

const LIVE = ['pending', 'ready']

async function inspect(io: Io, city: CityClient, id: string, { json: asJson }: Json): Promise<'over' | undefined> {
  const view = await city.call('GET ~/wait/{id}', { params: { id } }).catch(noWait(id))
  if (asJson) json(io, view)
  else show(io, view, await endOf(city, view))
  return LIVE.includes(view.state) ? undefined : 'over'
}

/** Why a wait is over; its bead says so. */
async function endOf(city: CityClient, { id, state }: WaitView): Promise<string | undefined> {
  if (LIVE.includes(state)) return undefined
  const { metadata } = await city.call('GET ~/bead/{id}', { params: { id } })
  return metadata?.last_error
}

function show(io: Io, view: WaitView, why: string | undefined): void {
  facts(io, [
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
  if (view.note) line(io, `\n${plainLines(view.note)}`)
}
