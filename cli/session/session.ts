import { type Command, InvalidArgumentError } from 'commander'
import { sessionColumns } from '../../client/views/index.ts'
import type { CityClient } from '../../src/client/client.ts'
import { formatConfined } from '../../src/client/confined.ts'
import { isRecord } from '../../src/client/json.ts'
import { keepStyles } from '../../src/client/sgr.ts'
import { formatShares } from '../../src/client/shares.ts'
import { sanitizeLines } from '../../src/client/text.ts'
import type { SessionResponse } from '../../src/work/sessions/index.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { sessionListOutput } from '../context/pack-json.ts'
import { readItems } from '../context/pages.ts'
import { renderLive, type WatchOption, withWatch } from '../context/watch.ts'
import { failure, notFound } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { listColumns } from '../io/shared-columns.ts'
import { printFields, printTable } from '../io/table.ts'
import { sessionWaitCommand } from '../wait/wait.ts'
import { adminCommands } from './admin.ts'
import { attachCommand } from './attach.ts'
import { denialsCommand } from './denials.ts'
import { messageCommands } from './message.ts'
import { sessionNetworkCommand } from './network.ts'
import { sessionSearchCommand } from './search.ts'
import { detachedProcesses, formatEnding, printDetachedLines, sweepCommand } from './sweep.ts'
import { transcriptCommand } from './transcript.ts'
import { because, warnUnavailable, whyOf } from './unavailable.ts'
import { waitForSession } from './wait-for-session.ts'

export function sessionCommands(program: Command, context: CommandContext): void {
  const session = program.command('session').description('manage sessions of agents')
  listCommand(session, context)
  withWatch(withJson(session.command('show').description('show one session')))
    .argument('<session>', 'session: id, alias or name')
    .action(async (id: string, options: JsonOption & WatchOption) => {
      const city = await context.city()
      await renderLive(context, city, options, (io) => show(io, city, id, options))
    })
  newCommand(session, context)
  attachCommand(session, context)
  peekCommand(session, context)
  transcriptCommand(session, context)
  sessionSearchCommand(session, context)
  sessionNetworkCommand(session, context)
  messageCommands(session, context)
  actionCommands(session, context)
  adminCommands(session, context)
  sweepCommand(session, context)
  denialsCommand(session, context)
  sessionWaitCommand(session, context)
}

/** Values of `--state`: states of sessions, or all. */
const STATES = [
  ...['active', 'suspended', 'closed', 'all', 'asleep', 'quarantined', 'draining', 'archived'],
  ...['start-pending', 'creating', 'failed-create'],
]

function parseStates(text: string): string {
  const unknown = text.split(',').find((state) => !STATES.includes(state.trim()))
  if (unknown !== undefined) throw new InvalidArgumentError(`It can be: ${STATES.join(', ')}.`)
  return text
}

interface List extends JsonOption, WatchOption {
  rig?: string
  state?: string
  template?: string
  limit?: number
}

function listCommand(session: Command, context: CommandContext): void {
  withWatch(withJson(session.command('list').description('list sessions, newest first')))
    .option('--state <state>', 'active, suspended, closed … or all; several with commas', parseStates)
    .option('--template <agent>', 'only sessions of this agent')
    .option('--rig <rig>', 'only sessions of this rig')
    .option('--limit <n>', 'maximum rows', parseCount, 100)
    .action((options: List) => list(context, options))
}

async function list(context: CommandContext, { json, rig, watch, ...query }: List): Promise<void> {
  const city = await context.city()
  const name = rig === undefined ? undefined : await context.rig(city, rig)
  if (query.template !== undefined) await requireTemplate(city, query.template)
  await renderLive(context, city, { watch }, async (io) => {
    const page = name === undefined ? await city.call('GET ~/sessions', { query }) : await ofRig(city, name, query)
    const { items: sessions, total } = page
    const { state, template } = query
    if (json) return printJson(io, sessionListOutput(page, { state, template }))
    const { items: unconfined } = await city.call('GET ~/unconfined-sessions')
    const free = new Set(unconfined.map(({ session_id }) => session_id))
    print(
      io,
      sessions.map((session) => ({ ...session, isUnconfined: free.has(session.id) })),
    )
    if (total > sessions.length) printLine(io, `${sessions.length} of ${total}; --limit shows more.`)
    if (sessions.length === 0) await warnUnavailable(io, city, template)
  })
}

/** The sessions of a rig, which no list of the server is for. */
async function ofRig(city: CityClient, rig: string, { limit, ...query }: Pick<List, 'state' | 'template' | 'limit'>) {
  const all = await readItems((cursor) => city.call('GET ~/sessions', { query: { ...query, limit: 1000, cursor } }))
  const items = all.filter((session) => session.rig === rig)
  return { items: items.slice(0, limit || undefined), total: items.length }
}

/** Throws unless there is an agent or provider of this name, or sessions of one that there was. */
async function requireTemplate(city: CityClient, template: string): Promise<void> {
  const { total } = await city.call('GET ~/sessions', { query: { template, state: 'all', limit: 1 } })
  if (total > 0) return
  const { agents, providers } = await city.call('GET ~/config')
  if (agents.some(({ name, dir }) => template === (dir ? `${dir}/${name}` : name)) || template in (providers ?? {}))
    return
  throw notFound('agent-not-found', `${city.name} has no agent ${template}; \`gc agent list\` lists its agents`)
}

function print(io: Io, sessions: readonly (SessionResponse & { isUnconfined: boolean })[]): void {
  const { id, name, agent, state, confined, bead, age } = sessionColumns
  printTable(
    io,
    sessions,
    listColumns(Date.now(), [
      ...[id, name, agent, state, confined, bead, age],
      { header: 'WHY', value: whyOf, minWidth: 8 },
      { header: 'TITLE', value: ({ title }) => title, minWidth: 10 },
    ]),
    'No sessions are running; sling work to an agent to start one.',
  )
}

async function show(io: Io, city: CityClient, id: string, options: JsonOption): Promise<void> {
  const session = await city.call('GET ~/session/{id}', { params: { id } })
  if (options.json) return printJson(io, session)
  const { items, ending } = await detachedProcesses(city, session.id)
  const denials = await city.call('GET ~/session/{id}/denials', { params: { id: session.id } })
  printFields(io, [
    ['session', session.id],
    ['name', session.session_name],
    ['alias', session.alias],
    ['title', session.title],
    ['agent', session.template],
    ['provider', session.display_name ?? session.provider],
    ['state', (session.state || 'closed') + (session.running ? ', running' : ', not running')],
    ['why', whyOf(session)],
    ['work', session.active_bead],
    ['folder', session.work_dir],
    ['created', session.created_at],
    ['last active', session.last_active],
    ['attached', session.attached ? 'yes' : 'no'],
    ['ends with', formatEnding(ending)],
    ['confined', formatConfined(denials)],
    ['share', formatShares(await city.call('GET ~/session/{id}/share', { params: { id: session.id } }))],
  ])
  if (items.length === 0) return
  printLine(io, `Left the session and still running; \`gc session sweep ${session.id}\` ends them:`)
  printDetachedLines(io, items)
}

function newCommand(session: Command, context: CommandContext): void {
  withJson(session.command('new').description('start a session of an agent'))
    .argument('<agent>')
    .option('--alias <alias>', 'public name of the session')
    .option('--title <title>', 'title shown in lists')
    .option('--message <text>', 'first message')
    .option('--rig <rig>', 'rig to look the agent up in first')
    .option('--no-attach', 'accepted: `gc session attach` attaches')
    .option('--title-hint <text>', 'the same as --title')
    .option('--wait-timeout <duration>', 'accepted')
    .action((name: string, options: New) => create(context, name, options))
}

interface New extends JsonOption {
  alias?: string
  title?: string
  titleHint?: string
  message?: string
  rig?: string
}

async function create(context: CommandContext, agent: string, options: New): Promise<void> {
  const city = await context.city()
  const { alias, message, title = options.titleHint } = options
  const body = {
    kind: 'agent',
    name: agent,
    ...(alias && { alias }),
    ...(title && { title }),
    ...(message && { message }),
  }
  const { payload } = await waitForSession(context, city, await city.call('POST ~/sessions', { body }))
  const { session: started } = payload
  if (options.json) {
    if (!isRecord(started)) return printJson(context.io, started)
    return printJson(context.io, envelope({ ...started, session_id: started.id, attached: false }))
  }
  if (isRecord(started)) printLine(context.io, `Session ${started.id} (${started.session_name}) is ${started.state}.`)
}

function peekCommand(session: Command, context: CommandContext): void {
  withJson(session.command('peek').description('show the last lines of a session’s screen'))
    .argument('<session>')
    .option('--lines <n>', 'number of last lines', parseCount, 50)
    .action(async (id: string, options: JsonOption & { lines: number }) => {
      const city = await context.city()
      const isInColour = context.io.colour && !options.json
      const seen = await city.call('GET ~/session/{id}', {
        params: { id },
        query: { peek: true, peek_lines: options.lines, ...(isInColour && { peek_styles: true }) },
      })
      if (options.json) return printJson(context.io, seen)
      if (seen.last_output === undefined) {
        throw failure(
          `session ${id} is not running${because(seen)}; \`gc session transcript ${id}\` shows its conversation`,
        )
      }
      if (!seen.running) context.io.err(`gc: session ${id} is not running${because(seen)}; this is its last output\n`)
      const lines = isInColour ? seen.last_output.split(/\r?\n/).map(keepStyles).join('\n') : undefined
      printLine(context.io, lines ?? sanitizeLines(seen.last_output))
    })
}

const ACTIONS = [
  ['stop', 'interrupt the turn of a session', 'is interrupted'],
  ['wake', 'wake a sleeping or suspended session', 'is waking'],
  ['suspend', 'suspend a session until it is woken', 'is suspended'],
  ['kill', 'kill a session’s program; gc restarts it when needed', 'is killed'],
  ['close', 'close a session', 'is closed'],
] as const

function actionCommands(session: Command, context: CommandContext): void {
  for (const [verb, description, result] of ACTIONS) {
    const command = withJson(session.command(verb).description(description)).argument('<session>')
    if (verb === 'kill' || verb === 'close') command.option('--force', 'accepted: gc never asks here')
    command.action(async (id: string, options: JsonOption) => {
      const city = await context.city()
      const response = await city.call(`POST ~/session/{id}/${verb}`, { params: { id } })
      if (options.json) return printJson(context.io, response)
      printLine(context.io, `Session ${id} ${result}.`)
    })
  }
  withJson(session.command('rename').description('rename a session'))
    .argument('<session>')
    .argument('<title>')
    .action(async (id: string, title: string, options: JsonOption) => {
      const city = await context.city()
      const response = await city.call('POST ~/session/{id}/rename', { params: { id }, body: { title } })
      if (options.json) return printJson(context.io, response)
      printLine(context.io, `Session ${id} is now called ${response.title}.`)
    })
}
