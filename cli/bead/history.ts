import type { Command } from 'commander'
import { type BeadChange, beadChanges } from '../../src/client/bead-changes.ts'
import { formatTime, paint, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { type Io, printJson, printLine } from '../io/io.ts'

export function historyCommand(bead: Command, context: CommandContext): void {
  withWatch(withJson(bead.command('history').description('show the history of a bead, newest first')))
    .argument('<bead>')
    .option('--limit <n>', 'maximum rows', parseCount, 50)
    .action(watched(context, history))
}

async function history(
  context: CommandContext,
  id: string,
  { limit, json }: JsonOption & { limit: number },
): Promise<void> {
  const city = await context.city()
  const page = await city.call('GET ~/bead/{id}/history', { params: { id }, query: { limit } })
  if (json) return printJson(context.io, page)
  for (const change of beadChanges(page)) print(context.io, change)
  if (page.next_cursor) printLine(context.io, `Showing the newest ${page.items.length}; --limit shows more.`)
}

function print(io: Io, { event, what, who }: BeadChange): void {
  const when = formatTime(event.ts)
  const type = sanitizeLine(event.type).padEnd(16)
  const shown = sanitizeLine([what, `by ${who}`].filter(Boolean).join(', '))
  const room = io.width === undefined ? shown : truncate(shown, Math.max(10, io.width - when.length - type.length - 4))
  printLine(io, `${paint(when, 'dim', io.colour)}  ${paint(type, 'cyan', io.colour)}  ${room}`.trimEnd())
}
