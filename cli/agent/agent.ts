import type { Command } from 'commander'
import { agentColumns } from '../../client/views/index.ts'
import type { CityClient } from '../../src/client/client.ts'
import type { CommandContext } from '../context/context.ts'
import { collectPair, type JsonOption, parseCount, withAgentSettings, withJson } from '../context/options.ts'
import { agentListOutput } from '../context/pack-json.ts'
import { renderLive, type WatchOption, withWatch } from '../context/watch.ts'
import { usageError } from '../io/exit.ts'
import { foldRows } from '../io/fold-rows.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { listColumns } from '../io/shared-columns.ts'
import { printFields, printTable } from '../io/table.ts'
import type { AddOptions } from './add.ts'

interface Add extends AddOptions {
  name?: string
  dir?: string
}

export function agentCommands(program: Command, context: CommandContext): void {
  const agent = program.command('agent').description('manage agents')
  addCommand(agent, context)
  withWatch(withJson(agent.command('list').description('list the agents')))
    .option('--rig <rig>', 'only agents of this rig')
    .action((options: List) => list(context, options))
  withWatch(withJson(agent.command('show').description('show one agent')))
    .argument('<agent>', '`rig/name`, or `name` for an agent of the city')
    .action(async (name: string, options: JsonOption & WatchOption) => {
      const city = await context.city()
      await renderLive(context, city, options, (io) => show(io, city, name, options))
    })
  withJson(agent.command('remove').description('remove an agent'))
    .argument('<agent>')
    .action(async (name: string, options: JsonOption) => {
      const city = await context.city()
      const { dir, base } = splitName(name)
      const response = dir
        ? await city.call('DELETE ~/agent/{dir}/{base}', { params: { dir, base } })
        : await city.call('DELETE ~/agent/{base}', { params: { base } })
      if (options.json) return printJson(context.io, response)
      printLine(context.io, `Agent ${name} was removed.`)
    })
  actions(agent, context)
}

function addCommand(agent: Command, context: CommandContext): void {
  withAgentSettings(withJson(agent.command('add').description('add an agent')))
    .argument('[name]', '`rig/name`, or `name` for an agent of the city')
    .option('--name <name>', 'name, instead of the argument')
    .option('--dir <rig>', 'rig it works in')
    .option('--description <text>', 'purpose of the agent, in a sentence')
    .option('--provider <provider>', 'agent program to run, such as claude or codex')
    .option('--command <command>', 'command to run, instead of a provider')
    .option('--prompt <text>', 'prompt of the agent')
    .option('--prompt-file <file>', 'read the prompt from a file')
    .option('--prompt-template <file>', 'the same as --prompt-file')
    .option('--max <n>', 'maximum sessions; default is 1', parseCount)
    .option('--min <n>', 'number of sessions that always run', parseCount)
    .option('--env <key=value>', 'environment variable; may be repeated', collectPair)
    .option('--suspended', 'add it suspended')
    .option('--yes', 'use defaults without asking')
    .option('--social [name]', 'register it on the agents’ network')
    .action((name: string | undefined, options: Add) => add(context, name, options))
}

async function add(context: CommandContext, name: string | undefined, options: Add): Promise<void> {
  const given = options.name ?? name
  if (!given) throw usageError('name the agent: `gc agent add <rig>/<name>`')
  const { dir = options.dir, base } = splitName(given)
  const { addAgent } = await import('./add.ts')
  await addAgent(context, { dir, base }, options)
}

interface List extends JsonOption, WatchOption {
  rig?: string
}

async function list(context: CommandContext, options: List): Promise<void> {
  const city = await context.city()
  const rig = options.rig === undefined ? undefined : await context.rigNamed(city, options.rig)
  await renderLive(context, city, options, (io) => printList(io, city, rig, options))
}

async function printList(io: Io, city: CityClient, rig: string | undefined, options: JsonOption): Promise<void> {
  const agents = await city.call('GET ~/agents', { query: { rig } })
  if (options.json) return printJson(io, agentListOutput(agents))
  const rows = foldRows(
    agents.items,
    ({ pool, session, state, unavailable_reason = '' }) =>
      pool && !session ? `${pool} ${state} ${unavailable_reason}` : undefined,
    (first, count) => ({ ...first, name: `${first.pool} (${count} instances)` }),
  )
  printTable(
    io,
    rows,
    listColumns(Date.now(), [
      ...[agentColumns.agent, agentColumns.state, agentColumns.program, agentColumns.session, agentColumns.bead],
      { header: 'PROBLEM', value: (agent) => (agent.suspended ? undefined : agent.unavailable_reason), below: '→ ' },
    ]),
    'There are no agents; add one with `gc agent add <rig>/<name>`.',
  )
}

async function show(io: Io, city: CityClient, name: string, options: JsonOption): Promise<void> {
  const { dir, base } = splitName(name)
  const agent = dir
    ? await city.call('GET ~/agent/{dir}/{base}', { params: { dir, base } })
    : await city.call('GET ~/agent/{base}', { params: { base } })
  if (options.json) return printJson(io, agent)
  printFields(io, [
    ['agent', agent.name],
    ['description', agent.description],
    ['state', agent.state],
    ['provider', agent.display_name ?? agent.provider],
    ['session', agent.session?.name],
    ['work', agent.active_bead],
    ['model', agent.model],
    ['context', agent.context_pct === undefined ? undefined : `${agent.context_pct} % full`],
    ['problem', agent.unavailable_reason],
  ])
}

const ACTIONS = {
  suspend: ['start no new sessions of an agent', 'is suspended'],
  resume: ['resume an agent that is suspended or failed to start', 'is resumed'],
  restart: ['restart the sessions of an agent', 'is restarting'],
} as const

function actions(agent: Command, context: CommandContext): void {
  for (const [action, [description, result]] of Object.entries(ACTIONS)) {
    withJson(agent.command(action).description(description))
      .argument('<agent>')
      .action(async (name: string, options: JsonOption) => {
        const city = await context.city()
        const { dir, base } = splitName(name)
        const response = dir
          ? await city.call('POST ~/agent/{dir}/{base}/{action}', { params: { dir, base, action } })
          : await city.call('POST ~/agent/{base}/{action}', { params: { base, action } })
        if (options.json) return printJson(context.io, response)
        printLine(context.io, `Agent ${name} ${result}.`)
      })
  }
}

/** Splits `rig/name`; a name alone belongs to the city. */
export function splitName(name: string): { dir?: string; base: string } {
  const at = name.indexOf('/')
  return at < 0 ? { base: name } : { dir: name.slice(0, at), base: name.slice(at + 1) }
}
