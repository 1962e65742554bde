import type { CityClient } from '../../src/client/client.ts'
import { formatDuration, sanitizeLine } from '../../src/client/text.ts'
import { findUnconfinedNotice } from '../confine/unconfined-notice.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { statusOutput } from '../context/pack-json.ts'
import { renderLive, type WatchOption } from '../context/watch.ts'
import { foldRows } from '../io/fold-rows.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printFields, printTable } from '../io/table.ts'
import { detachedProcesses, printDetachedLines } from '../session/sweep.ts'
import { warnConfiguration, warnUnavailable } from '../session/unavailable.ts'

/** Prints the status of a city. */
export async function status(
  context: CommandContext,
  name: string | undefined,
  options: JsonOption & WatchOption,
): Promise<void> {
  const city = await context.cityNamed(name)
  await renderLive(context, city, options, (io) => show(io, city, options))
}

async function show(io: Io, city: CityClient, options: JsonOption): Promise<void> {
  const response = await city.call('GET ~/status')
  if (options.json) return printJson(io, await statusOutput(city, response))
  const { agents, rigs, work, mail } = response
  const kept = await findUnconfinedNotice(io.env)
  printFields(io, [
    [
      'city',
      `${response.name}, ${response.suspended ? 'suspended' : `up for ${formatDuration(response.uptime_sec * 1000)}`}`,
    ],
    ['folder', response.path],
    [
      'agents',
      formatCounts(agents.total, {
        running: agents.running,
        suspended: agents.suspended,
        quarantined: agents.quarantined,
      }),
    ],
    ['unconfined', formatUnconfined((await city.call('GET ~/unconfined-sessions')).total)],
    ['confinement', kept && `${kept.what}; ${kept.remedy}`],
    ['rigs', formatCounts(rigs.total, { suspended: rigs.suspended })],
    ['work', `${work.ready} ready, ${work.in_progress} in progress, ${work.open} open`],
    ['mail', formatCounts(mail.total, { unread: mail.unread })],
  ])
  for (const error of response.partial_errors ?? []) io.err(`gc: ${sanitizeLine(error)}\n`)
  await warnConfiguration(io, city)
  await printDetached(io, city)
  if (!response.agent_details?.length) return
  printLine(io, '')
  const rows = foldRows(
    response.agent_details,
    ({ group_name, running, suspended }) => (group_name && !running ? `${group_name} ${suspended}` : undefined),
    (first, count) => ({ ...first, qualified_name: `${first.group_name} (${count} instances)` }),
  )
  printTable(
    io,
    rows,
    [
      { header: 'AGENT', value: ({ qualified_name }) => qualified_name },
      {
        header: 'STATE',
        value: ({ running, suspended, draining }) =>
          suspended ? 'suspended' : draining ? 'draining' : running ? 'running' : 'stopped',
        colour: ({ running, suspended }) => (suspended ? 'yellow' : running ? 'green' : 'dim'),
      },
      { header: 'POOL', value: ({ scale_label }) => scale_label },
      { header: 'SESSION', value: ({ session_name }) => session_name, minWidth: 8 },
    ],
    '',
  )
  await warnUnavailable(io, city)
}

/** Undefined unless sessions run unconfined in a city that confines others. */
const formatUnconfined = (n = 0): string | undefined =>
  n === 0 ? undefined : `${n} session${n === 1 ? '' : 's'}; \`gc session list\` marks ${n === 1 ? 'it' : 'them'}`

async function printDetached(io: Io, city: CityClient): Promise<void> {
  const { items } = await detachedProcesses(city)
  if (items.length === 0) return
  printLine(io, '\nLeft their session and still running; `gc session sweep` ends them:')
  printDetachedLines(io, items)
}

/** `5 (2 running, 1 suspended)`, without counts of zero. */
function formatCounts(total: number, parts: Record<string, number>): string {
  const named = Object.entries(parts).flatMap(([name, n]) => (n > 0 ? `${n} ${name}` : []))
  return named.length > 0 ? `${total} (${named.join(', ')})` : String(total)
}
