import { length } from '../../src/client/text.ts'
import type { Here } from '../context/context.ts'
import type { Json } from '../context/options.ts'
import { json, line } from '../io/io.ts'
import { facts, table } from '../io/table.ts'
import { tellTrouble } from './trouble.ts'

/** How a city is, on one screen. */
export async function status(here: Here, told: string | undefined, options: Json): Promise<void> {
  const city = await here.cityCalled(told)
  const said = await city.call('GET ~/status')
  const { io } = here
  if (options.json) return json(io, said)
  const { agents, rigs, work, mail } = said
  facts(io, [
    ['city', `${said.name}, ${said.suspended ? 'suspended' : `up for ${length(said.uptime_sec * 1000)}`}`],
    ['folder', said.path],
    [
      'agents',
      counted(agents.total, { running: agents.running, suspended: agents.suspended, quarantined: agents.quarantined }),
    ],
    ['rigs', counted(rigs.total, { suspended: rigs.suspended })],
    ['work', `${work.ready} ready, ${work.in_progress} in progress, ${work.open} open`],
    ['mail', counted(mail.total, { unread: mail.unread })],
  ])
  for (const fault of said.partial_errors ?? []) io.err(`gc: ${fault}\n`)
  if (!said.agent_details?.length) return
  line(io, '')
  table(
    io,
    said.agent_details,
    [
      { head: 'AGENT', of: ({ qualified_name }) => qualified_name },
      {
        head: 'STATE',
        of: ({ running, suspended, draining }) =>
          suspended ? 'suspended' : draining ? 'draining' : running ? 'running' : 'stopped',
        colour: ({ running, suspended }) => (suspended ? 'yellow' : running ? 'green' : 'dim'),
      },
      { head: 'POOL', of: ({ scale_label }) => scale_label },
      { head: 'SESSION', of: ({ session_name }) => session_name, least: 8 },
    ],
    '',
  )
  await tellTrouble(io, city)
}

/** `5 (2 running, 1 suspended)`: what is zero is not mentioned. */
function counted(total: number, parts: Record<string, number>): string {
  const named = Object.entries(parts).flatMap(([name, n]) => (n > 0 ? `${n} ${name}` : []))
  return named.length > 0 ? `${total} (${named.join(', ')})` : String(total)
}
