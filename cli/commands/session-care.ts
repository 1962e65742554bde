import type { Command } from 'commander'
import type { SessionResponse } from '../../src/agents/sessions/schema.ts'
import type { Here } from '../context/context.ts'
import { type Json, several, withJson } from '../context/options.ts'
import { misuse } from '../io/exit.ts'
import { json, line } from '../io/io.ts'
import { table } from '../io/table.ts'

/** Restarting and lending sessions, and clearing away those that nobody needs. */
export function careCommands(session: Command, here: Here): void {
  withJson(session.command('restart').description('end a session’s program and start it again; it keeps its work'))
    .argument('<session>')
    .option('--fresh', 'begin a new conversation')
    .action((id: string, options: Json & { fresh?: true }) => restart(here, id, options.fresh === true, options))
  withJson(session.command('reset').description('restart a session with a new conversation'))
    .argument('<session>')
    .action((id: string, options: Json) => restart(here, id, true, options))
  withJson(session.command('lend').description('let a program that gc does not run work as a suspended session'))
    .argument('<session>')
    .action((id: string, options: Json) => lend(here, id, options))
  withJson(
    session.command('drift').description('list sessions whose agent was declared anew since they started'),
  ).action((options: Json) => drift(here, options))
  withJson(session.command('prune').description('close sessions that have been stopped for long'))
    .option('--before <time>', 'those stopped for at least so long', '7d')
    .option('--state <states>', 'suspended, asleep, quarantined', several, [])
    .option('--dry-run', 'only say which')
    .action((options: Prune) => prune(here, options))
}

/** The token is all of its output, so that it can go straight into a variable. */
async function lend(here: Here, id: string, options: Json): Promise<void> {
  const city = await here.city()
  const loan = await city.call('POST ~/session/{id}/lend', { params: { id } })
  if (options.json) return json(here.io, loan)
  line(here.io, loan.token)
  here.io.err(`Give it to a program as GC_TOKEN, with GC_SESSION_ID=${loan.id}; waking the session ends it.\n`)
}

async function restart(here: Here, id: string, fresh: boolean, options: Json): Promise<void> {
  const city = await here.city()
  const said = await city.call('POST ~/session/{id}/restart', { params: { id }, body: { ...(fresh && { fresh }) } })
  if (options.json) return json(here.io, said)
  line(here.io, `Session ${id} starts again${fresh ? ', with a new conversation' : ''}.`)
}

async function drift(here: Here, options: Json): Promise<void> {
  const city = await here.city()
  const drifts = await city.call('GET ~/sessions/drift')
  if (options.json) return json(here.io, drifts)
  table(
    here.io,
    drifts.items,
    [
      { head: 'SESSION', of: ({ id }) => id },
      { head: 'NAME', of: ({ session_name }) => session_name, least: 10 },
      { head: 'AGENT', of: ({ template }) => template, least: 8 },
      { head: 'CHANGED', of: ({ fields }) => fields.join(', '), least: 10 },
    ],
    'Every session runs what is declared.',
  )
}

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

interface Prune extends Json {
  before: string
  state: string[]
  dryRun?: true
}

async function prune(here: Here, options: Prune): Promise<void> {
  const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(options.before) ?? []
  if (amount === undefined) throw misuse(`--before takes a length of time such as 7d or 12h, not "${options.before}"`)
  const before = Date.now() - Number(amount) * (UNITS[unit] ?? 0)
  const cutoff = new Date(before).toISOString()
  const city = await here.city()
  const state = options.state.length > 0 ? options.state.join(',') : 'suspended'
  const old: SessionResponse[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await city.call('GET ~/sessions', { query: { state, limit: 500, cursor } })
    old.push(...page.items.filter(({ last_active, created_at }) => Date.parse(last_active ?? created_at) <= before))
    cursor = page.next_cursor
    if (!cursor) break
  }
  if (!options.dryRun) for (const { id } of old) await city.call('POST ~/session/{id}/close', { params: { id } })
  if (options.json) return json(here.io, { count: old.length, before: options.before, cutoff })
  for (const { id, session_name, state: now } of old) line(here.io, `${id}  ${session_name}  ${now}`)
  line(here.io, `${old.length} ${options.dryRun ? 'would be' : 'were'} closed.`)
}
