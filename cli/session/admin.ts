import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { collectList, type JsonOption, withJson } from '../context/options.ts'
import { readItems } from '../context/pages.ts'
import { watched, withWatch } from '../context/watch.ts'
import { usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

/** Commands that restart, lend and prune sessions. */
export function adminCommands(session: Command, context: CommandContext): void {
  withJson(session.command('restart').description('restart a session’s program; it keeps its work'))
    .argument('<session>')
    .option('--fresh', 'start a new conversation')
    .action((id: string, options: JsonOption & { fresh?: true }) =>
      restart(context, id, options.fresh === true, options),
    )
  withJson(session.command('reset').description('restart a session with a new conversation'))
    .argument('<session>')
    .action((id: string, options: JsonOption) => restart(context, id, true, options))
  withJson(session.command('lend').description('lend a suspended session to an external program'))
    .argument('<session>')
    .action((id: string, options: JsonOption) => lend(context, id, options))
  withWatch(
    withJson(session.command('drift').description('list sessions that run with an outdated configuration')),
  ).action(watched(context, drift))
  withJson(session.command('prune').description('close sessions that were stopped long ago'))
    .option('--before <time>', 'only sessions stopped for at least this time', '7d')
    .option('--state <state>', 'suspended, asleep or quarantined; several with commas', collectList, [])
    .option('--dry-run', 'list matches and change nothing')
    .action((options: Prune) => prune(context, options))
}

/** Prints only the token, so that a script can put it into a variable. */
async function lend(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  const city = await context.city()
  const loan = await city.call('POST ~/session/{id}/lend', { params: { id } })
  if (options.json) return printJson(context.io, loan)
  printLine(context.io, loan.token)
  context.io.err(`Set it as GC_TOKEN of the program, with GC_SESSION_ID=${loan.id}; waking the session revokes it.\n`)
}

async function restart(context: CommandContext, id: string, fresh: boolean, options: JsonOption): Promise<void> {
  const city = await context.city()
  const response = await city.call('POST ~/session/{id}/restart', { params: { id }, body: { ...(fresh && { fresh }) } })
  if (options.json) return printJson(context.io, response)
  printLine(context.io, `Session ${id} restarts${fresh ? ' with a new conversation' : ''}.`)
}

async function drift(context: CommandContext, options: JsonOption): Promise<void> {
  const city = await context.city()
  const drifts = await city.call('GET ~/sessions/drift')
  if (options.json) return printJson(context.io, drifts)
  printTable(
    context.io,
    drifts.items,
    [
      { header: 'SESSION', value: ({ id }) => id },
      { header: 'NAME', value: ({ session_name }) => session_name, minWidth: 10 },
      { header: 'AGENT', value: ({ template }) => template, minWidth: 8 },
      { header: 'CHANGED', value: ({ fields }) => fields.join(', '), minWidth: 10 },
    ],
    'No session differs from its agent’s configuration.',
  )
}

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

interface Prune extends JsonOption {
  before: string
  state: string[]
  dryRun?: true
}

async function prune(context: CommandContext, options: Prune): Promise<void> {
  const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(options.before) ?? []
  if (amount === undefined) throw usageError(`--before takes a duration such as 7d or 12h, not "${options.before}"`)
  const before = Date.now() - Number(amount) * (UNITS[unit] ?? 0)
  const cutoff = new Date(before).toISOString()
  const city = await context.city()
  const state = options.state.length > 0 ? options.state.join(',') : 'suspended'
  const sessions = await readItems((cursor) => city.call('GET ~/sessions', { query: { state, limit: 500, cursor } }))
  const old = sessions.filter(({ last_active, created_at }) => Date.parse(last_active ?? created_at) <= before)
  if (!options.dryRun) for (const { id } of old) await city.call('POST ~/session/{id}/close', { params: { id } })
  if (options.json) return printJson(context.io, { count: old.length, before: options.before, cutoff })
  for (const { id, session_name, state: now } of old) printLine(context.io, `${id}  ${session_name}  ${now}`)
  printLine(context.io, `${old.length} ${options.dryRun ? 'would be' : 'were'} closed.`)
}
