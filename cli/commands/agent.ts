import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { AgentDeclare } from '../../src/agents/agents/schema.ts'
import type { Colour } from '../../src/client/text.ts'
import type { Here } from '../context/context.ts'
import { count, type Json, pair, withJson } from '../context/options.ts'
import { failure, misuse } from '../io/exit.ts'
import { json, line } from '../io/io.ts'
import { facts, table } from '../io/table.ts'
import { tellTrouble } from './trouble.ts'

interface Add extends Json {
  name?: string
  dir?: string
  description?: string
  provider?: string
  command?: string
  prompt?: string
  promptFile?: string
  max?: number
  min?: number
  env?: Record<string, string>
  suspended?: true
}

export function agentCommands(program: Command, here: Here): void {
  const agent = program.command('agent').description('the agents of the city: what runs, and how many of it')
  addCommand(agent, here)
  withJson(agent.command('list').description('list the agents'))
    .option('--rig <rig>', 'only those of one rig')
    .action((options: Json & { rig?: string }) => list(here, options))
  withJson(agent.command('show').description('show one agent'))
    .argument('<agent>', '`rig/name`, or `name` for an agent of the city')
    .action((name: string, options: Json) => show(here, name, options))
  withJson(agent.command('remove').description('remove an agent from the city'))
    .argument('<agent>')
    .action(async (name: string, options: Json) => {
      const city = await here.city()
      const { dir, base } = parts(name)
      const said = dir
        ? await city.call('DELETE ~/agent/{dir}/{base}', { params: { dir, base } })
        : await city.call('DELETE ~/agent/{base}', { params: { base } })
      if (options.json) return json(here.io, said)
      line(here.io, `Agent ${name} is removed.`)
    })
  actions(agent, here)
}

function addCommand(agent: Command, here: Here): void {
  withJson(agent.command('add').description('add an agent'))
    .argument('[agent]', '`rig/name`, or `name` for an agent of the city')
    .option('--name <name>', 'its name, instead of the argument')
    .option('--dir <rig>', 'the rig it works in')
    .option('--description <text>', 'what it is for, in a sentence')
    .option('--provider <provider>', 'the agent program it runs, such as claude or codex')
    .option('--command <command>', 'the command it runs, instead of a provider')
    .option('--prompt <text>', 'what it is told when it starts')
    .option('--prompt-file <file>', 'the same, from a file')
    .option('--max <n>', 'most sessions of it at a time; 1 unless said otherwise', count)
    .option('--min <n>', 'sessions that always run', count)
    .option('--env <key=value>', 'a variable of its environment; may be repeated', pair)
    .option('--suspended', 'do not let it work yet')
    .action((told: string | undefined, options: Add) => add(here, told, options))
}

async function add(here: Here, told: string | undefined, options: Add): Promise<void> {
  const body = declaration(here, told, options)
  const city = await here.city()
  const said = await city.call('POST ~/agents/declare', { body })
  if (options.json) return json(here.io, said)
  line(here.io, `Agent ${said.agent} is added; give it work with \`gc sling ${said.agent} "<what to do>"\`.`)
  await tellTrouble(here.io, city, said.agent)
}

function declaration(here: Here, told: string | undefined, options: Add): AgentDeclare {
  const given = options.name ?? told
  if (!given) throw misuse('say what the agent is called: `gc agent add <rig>/<name>`')
  const { dir = options.dir, base } = parts(given)
  if (options.provider && options.command) throw misuse('give --provider or --command, not both')
  if (options.prompt !== undefined && options.promptFile) throw misuse('give --prompt or --prompt-file, not both')
  const prompt = options.promptFile ? textOf(resolve(here.io.cwd, options.promptFile)) : options.prompt
  return {
    name: base,
    max_active_sessions: options.max ?? 1,
    ...(dir && { dir }),
    ...(options.description && { description: options.description }),
    ...(options.provider && { provider: options.provider }),
    ...(options.command && { start_command: options.command }),
    ...(prompt !== undefined && { prompt }),
    ...(options.min !== undefined && { min_active_sessions: options.min }),
    ...(options.env && { env: options.env }),
    ...(options.suspended && { suspended: true }),
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw failure(`the prompt file ${path} cannot be read`)
  }
}

const COLOURS: Record<string, Colour> = {
  working: 'green',
  waiting: 'cyan',
  suspended: 'yellow',
  quarantined: 'red',
  stopped: 'dim',
}

async function list(here: Here, options: Json & { rig?: string }): Promise<void> {
  const city = await here.city()
  const agents = await city.call('GET ~/agents', { query: { rig: options.rig } })
  if (options.json) return json(here.io, agents)
  table(
    here.io,
    agents.items,
    [
      { head: 'AGENT', of: ({ name }) => name },
      { head: 'STATE', of: ({ state }) => state, colour: ({ state }) => COLOURS[state] },
      { head: 'PROVIDER', of: ({ display_name, provider }) => display_name ?? provider },
      { head: 'SESSION', of: ({ session }) => session?.name, least: 8 },
      { head: 'WORK', of: ({ active_bead }) => active_bead },
      { head: 'TROUBLE', of: ({ unavailable_reason }) => unavailable_reason, least: 16 },
    ],
    'No agent; add one with `gc agent add <rig>/<name>`.',
  )
}

async function show(here: Here, name: string, options: Json): Promise<void> {
  const city = await here.city()
  const { dir, base } = parts(name)
  const agent = dir
    ? await city.call('GET ~/agent/{dir}/{base}', { params: { dir, base } })
    : await city.call('GET ~/agent/{base}', { params: { base } })
  if (options.json) return json(here.io, agent)
  facts(here.io, [
    ['agent', agent.name],
    ['description', agent.description],
    ['state', agent.state],
    ['provider', agent.display_name ?? agent.provider],
    ['session', agent.session?.name],
    ['work', agent.active_bead],
    ['model', agent.model],
    ['context', agent.context_pct === undefined ? undefined : `${agent.context_pct} % full`],
    ['trouble', agent.unavailable_reason],
  ])
}

const ACTIONS = {
  suspend: ['let an agent finish its turn and start no more of it', 'is suspended'],
  resume: ['let a suspended agent work', 'is at work again'],
  restart: ['end the sessions of an agent and start them afresh', 'is restarting'],
} as const

function actions(agent: Command, here: Here): void {
  for (const [action, [description, then]] of Object.entries(ACTIONS)) {
    withJson(agent.command(action).description(description))
      .argument('<agent>')
      .action(async (name: string, options: Json) => {
        const city = await here.city()
        const { dir, base } = parts(name)
        const said = dir
          ? await city.call('POST ~/agent/{dir}/{base}/{action}', { params: { dir, base, action } })
          : await city.call('POST ~/agent/{base}/{action}', { params: { base, action } })
        if (options.json) return json(here.io, said)
        line(here.io, `Agent ${name} ${then}.`)
      })
  }
}

/** `rig/name` in its two parts; a name alone belongs to the city. */
export function parts(name: string): { dir?: string; base: string } {
  const at = name.indexOf('/')
  return at < 0 ? { base: name } : { dir: name.slice(0, at), base: name.slice(at + 1) }
}
