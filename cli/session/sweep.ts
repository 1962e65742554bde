import type { Command } from 'commander'
import type { DetachedProcess, SessionEnding } from '../../src/agents/lifecycle/index.ts'
import type { CityClient } from '../../src/client/client.ts'
import { resolveHome } from '../../src/client/home.ts'
import { sanitizeLine, showHidden } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { confirm, type Io, printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

interface Sweep extends JsonOption {
  yes?: true
}

/** The command that ends processes that left their session. */
export function sweepCommand(session: Command, context: CommandContext): void {
  withJson(session.command('sweep').description('stop leftover processes of sessions'))
    .argument('[session]', 'session; default is all of the city')
    .option('--yes', 'stop them without asking')
    .action((id: string | undefined, options: Sweep) => sweep(context, id, options))
}

async function sweep(context: CommandContext, session: string | undefined, options: Sweep): Promise<void> {
  const { io } = context
  const city = await context.city()
  const { items } = await detachedProcesses(city, session)
  if (!options.json) printDetached(io, items)
  if (items.length === 0) {
    if (options.json) printJson(io, { ended: [], remaining: [] })
    return
  }
  if (!options.yes && !(await isConfirmed(io, items.length))) throw failure('nothing was stopped')
  const body = { ids: items.map(({ id }) => id), ...(session !== undefined && { session }) }
  const result = await city.call('POST ~/detached-processes/sweep', { body })
  if (options.json) printJson(io, result)
  else printLine(io, `${count(result.ended.length)} ended.`)
  if (result.remaining.length === 0) return
  const named = result.remaining.map(({ pid, command }) => `${pid} (${sanitizeLine(command)})`).join(', ')
  throw failure(`KILL did not end ${named}; they may belong to another user`)
}

async function isConfirmed(io: Io, processes: number): Promise<boolean> {
  if (!io.isInteractive) throw failure('there is no terminal to confirm; add --yes to stop them')
  return confirm(io, `End ${count(processes)}?`)
}

const count = (processes: number): string => `${processes} process${processes === 1 ? '' : 'es'}`

/** The processes that left their session and still run. */
export const detachedProcesses = (city: CityClient, session?: string) =>
  city.call('GET ~/detached-processes', { query: { ...(session !== undefined && { session }) } })

function printDetached(io: Io, processes: readonly DetachedProcess[]): void {
  printTable(
    io,
    processes,
    [
      { header: 'PROCESS', value: ({ pid }) => pid },
      { header: 'SESSION', value: ({ session_id }) => session_id },
      { header: 'SESSION IS', value: ({ session_running }) => (session_running ? 'running' : 'over') },
      { header: 'COMMAND', value: ({ command }) => showHidden(command), minWidth: 20 },
    ],
    'No process has left its session.',
  )
}

/** Processes that end with a session, in words. */
export const formatEnding = (ending: SessionEnding | undefined): string | undefined =>
  ending &&
  (ending.by === 'cgroup'
    ? 'everything that was started in it (cgroup)'
    : `its processes, but none that left it (no cgroup: ${ending.reason ?? 'unknown'})`)

/** One line for each process that left its session. */
export function printDetachedLines(
  io: Io,
  processes: readonly { pid: number; command: string; session_id: string }[],
): void {
  for (const { pid, command, session_id } of processes) {
    printLine(io, `  ${pid}  ${session_id}  ${sanitizeLine(command)}`)
  }
}

/** Says what left its session and is still there, of one city or of all, now that no one else is left to say it. */
export async function printRemaining(io: Io, city?: string): Promise<void> {
  const { findRemaining } = await import('../../src/host/process/marked.ts')
  const remaining = await findRemaining(resolveHome(io.env), city)
  if (remaining.length === 0) return
  printLine(io, 'But these left their session and still run; end them by `kill <pid>`:')
  printDetachedLines(
    io,
    remaining.map(({ sessionId, ...one }) => ({ ...one, session_id: sessionId })),
  )
}
