import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { printJson } from '../io/io.ts'
import { printTable } from '../io/table.ts'

export function sessionNetworkCommand(session: Command, context: CommandContext): void {
  withWatch(withJson(session.command('network').description('list hosts that a sandboxed session tried to reach')))
    .argument('<session>', 'session: id, alias or name; only the id of a closed one')
    .action(watched(context, list))
}

async function list(context: CommandContext, id: string, { json }: JsonOption): Promise<void> {
  const { io } = context
  const city = await context.city()
  const hosts = await city.call('GET ~/session/{id}/network', { params: { id } })
  if (json) return printJson(io, hosts)
  printTable(
    io,
    hosts.items,
    [
      { header: 'HOST', value: ({ host }) => sanitizeLine(host) },
      { header: 'CONNECTIONS', value: ({ connections }) => String(connections) },
      { header: 'DENIED', value: ({ denied }) => String(denied) },
      { header: 'SENT', value: ({ sent_bytes }) => `${sent_bytes} B` },
      { header: 'RECEIVED', value: ({ received_bytes }) => `${received_bytes} B` },
      { header: 'LAST', value: ({ last_at }) => last_at },
    ],
    'It has reached no host through a proxy of gc; only sandboxed sessions have one.',
  )
}
