import type { Command } from 'commander'
import type { SessionResponse } from '../../src/agents/sessions/schema.ts'
import { ago, type Colour, plainLines } from '../../src/client/text.ts'
import type { Here } from '../context/context.ts'
import { count, type Json, withJson } from '../context/options.ts'
import { done } from '../context/outcome.ts'
import { failure } from '../io/exit.ts'
import { json, line } from '../io/io.ts'
import { facts, table } from '../io/table.ts'
import { attachCommand } from './attach.ts'
import { careCommands } from './session-care.ts'
import { talkCommands } from './session-talk.ts'
import { transcriptCommand } from './transcript.ts'

export function sessionCommands(program: Command, here: Here): void {
  const session = program.command('session').description('the running agents')
  listCommand(session, here)
  withJson(session.command('show').description('show one session'))
    .argument('<session>', 'its id, alias or name')
    .action((id: string, options: Json) => show(here, id, options))
  newCommand(session, here)
  attachCommand(session, here)
  peekCommand(session, here)
  transcriptCommand(session, here)
  talkCommands(session, here)
  verbs(session, here)
  careCommands(session, here)
}

interface List extends Json {
  state?: string
  template?: string
  limit?: number
}

function listCommand(session: Command, here: Here): void {
  withJson(session.command('list').description('list sessions, newest first'))
    .option('--state <state>', 'active, suspended, closed or all')
    .option('--template <agent>', 'only those of one agent')
    .option('--limit <n>', 'at most so many', count, 100)
    .action(async ({ json: asJson, ...query }: List) => {
      const city = await here.city()
      const sessions = await city.call('GET ~/sessions', { query })
      if (asJson) return json(here.io, sessions)
      print(here, sessions.items)
    })
}

const COLOURS: Record<string, Colour> = {
  active: 'green',
  suspended: 'yellow',
  quarantined: 'red',
  'failed-create': 'red',
  asleep: 'dim',
}

function print({ io }: Here, sessions: readonly SessionResponse[]): void {
  const now = Date.now()
  table(
    io,
    sessions,
    [
      { head: 'SESSION', of: ({ id }) => id },
      { head: 'NAME', of: ({ alias, session_name }) => alias ?? session_name, least: 10 },
      { head: 'AGENT', of: ({ template }) => template, least: 8 },
      { head: 'STATE', of: ({ state }) => state || 'closed', colour: ({ state }) => COLOURS[state] },
      { head: 'WORK', of: ({ active_bead }) => active_bead },
      { head: 'ACTIVE', of: ({ last_active, created_at }) => ago(last_active ?? created_at, now) },
      { head: 'WHY', of: ({ reason }) => reason, least: 8 },
      { head: 'TITLE', of: ({ title }) => title, least: 10 },
    ],
    'No session runs; work that is slung to an agent starts one.',
  )
}

async function show(here: Here, id: string, options: Json): Promise<void> {
  const city = await here.city()
  const session = await city.call('GET ~/session/{id}', { params: { id } })
  if (options.json) return json(here.io, session)
  facts(here.io, [
    ['session', session.id],
    ['name', session.session_name],
    ['alias', session.alias],
    ['title', session.title],
    ['agent', session.template],
    ['provider', session.display_name ?? session.provider],
    ['state', (session.state || 'closed') + (session.running ? ', running' : ', not running')],
    ['why', session.reason],
    ['work', session.active_bead],
    ['folder', session.work_dir],
    ['created', session.created_at],
    ['last active', session.last_active],
    ['attached', session.attached ? 'yes' : 'no'],
  ])
}

function newCommand(session: Command, here: Here): void {
  withJson(session.command('new').description('start a session of an agent'))
    .argument('<agent>')
    .option('--alias <alias>', 'a public name for it')
    .option('--title <title>')
    .option('--message <text>', 'the first thing it is told')
    .action(async (name: string, options: Json & { alias?: string; title?: string; message?: string }) => {
      const city = await here.city()
      const { alias, title, message } = options
      const body = {
        kind: 'agent',
        name,
        ...(alias && { alias }),
        ...(title && { title }),
        ...(message && { message }),
      }
      const { payload } = await done(here, city, await city.call('POST ~/sessions', { body }))
      const started = payload.session as SessionResponse
      if (options.json) return json(here.io, started)
      line(here.io, `Session ${started.id} (${started.session_name}) is ${started.state}.`)
    })
}

function peekCommand(session: Command, here: Here): void {
  withJson(session.command('peek').description('show the last lines of a session’s screen'))
    .argument('<session>')
    .option('--lines <n>', 'how many', count, 50)
    .action(async (id: string, options: Json & { lines: number }) => {
      const city = await here.city()
      const seen = await city.call('GET ~/session/{id}', {
        params: { id },
        query: { peek: true, peek_lines: options.lines },
      })
      if (options.json) return json(here.io, seen)
      if (seen.last_output === undefined) {
        throw failure(`session ${id} does not run; \`gc session transcript ${id}\` shows what it said`)
      }
      line(here.io, plainLines(seen.last_output))
    })
}

const VERBS = {
  stop: ['interrupt what a session is doing; it stays', 'is interrupted'],
  wake: ['start a sleeping or suspended session', 'is waking'],
  suspend: ['end a session’s program and keep it so until it is woken', 'is suspended'],
  kill: ['end a session’s program; it is started again if it is wanted', 'is killed'],
  close: ['end a session for good', 'is closed'],
} as const

function verbs(session: Command, here: Here): void {
  for (const [verb, [description, then]] of Object.entries(VERBS)) {
    withJson(session.command(verb).description(description))
      .argument('<session>')
      .action(async (id: string, options: Json) => {
        const city = await here.city()
        const said = await city.call(`POST ~/session/{id}/${verb as keyof typeof VERBS}`, { params: { id } })
        if (options.json) return json(here.io, said)
        line(here.io, `Session ${id} ${then}.`)
      })
  }
  withJson(session.command('rename').description('give a session another title'))
    .argument('<session>')
    .argument('<title>')
    .action(async (id: string, title: string, options: Json) => {
      const city = await here.city()
      const said = await city.call('POST ~/session/{id}/rename', { params: { id }, body: { title } })
      if (options.json) return json(here.io, said)
      line(here.io, `Session ${id} is called ${said.title}.`)
    })
}
