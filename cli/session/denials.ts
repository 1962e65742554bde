import type { Command } from 'commander'
import type { Denial } from '../../src/agents/confinement/index.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

/** The command that shows what a confined session was refused. */
export function denialsCommand(session: Command, context: CommandContext): void {
  withWatch(withJson(session.command('denials').description('show denied accesses of a session, with fixes')))
    .argument('<session>', 'session: id, alias or name')
    .action(watched(context, denials))
}

async function denials(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  const { io } = context
  const city = await context.city()
  const listed = await city.call('GET ~/session/{id}/denials', { params: { id } })
  if (options.json) return printJson(io, listed)
  const { items, confine, allowing } = listed
  printTable(
    io,
    items,
    [
      { header: 'DENIED', value: ({ count }) => count },
      { header: 'CALL', value: ({ call }) => call || 'others' },
      { header: 'OF', value: ({ target }) => sanitizeLine(target), minWidth: 20 },
      { header: 'ALLOWED BY', value: allowedBy },
    ],
    confine === 'off' ? 'It is not sandboxed, and nothing was denied.' : 'Nothing was refused.',
  )
  if (allowing) {
    printLine(
      io,
      `With this in the confine table of ${sanitizeLine(allowing.table)} nothing of it is refused that a line allows:`,
    )
    for (const line of allowing.lines) printLine(io, `  ${sanitizeLine(line)}`)
    if (allowing.replaces) printLine(io, `The table takes the place of ${sanitizeLine(allowing.replaces)}.`)
    printLine(
      io,
      'A line takes the place of one with the same key. What a pack declares is said in a [[patches.agent]] of the city.',
    )
  }
  printLine(io, 'Denials of opening files are not included: the kernel does not report them.')
}

const allowedBy = ({ allow }: Denial): string => sanitizeLine(allow ?? '')
