import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { type JsonOption, parseDurationOption, withJson } from '../context/options.ts'
import { printJson, printLine } from '../io/io.ts'

interface SweepOptions extends JsonOption {
  staleAfter: number
  quiet?: true
}

const MINUTE = 60_000

/** Housekeeping that packs have orders for. */
export function sweepCommands(order: Command, context: CommandContext): void {
  withJson(order.command('sweep-tracking').description('close leftover beads of finished runs'))
    .option('--stale-after <duration>', 'minimum age', parseDurationOption, 10 * MINUTE)
    .option('-q, --quiet', 'print nothing if nothing was closed')
    .option('--confirm', 'accepted: active runs are never closed')
    .action((options: SweepOptions) => sweep(context, options))
}

async function sweep(context: CommandContext, { staleAfter, quiet, json }: SweepOptions): Promise<void> {
  const { io } = context
  const city = await context.city()
  const body = { older_than_s: Math.round(staleAfter / 1000) }
  const { closed } = await city.call('POST ~/orders/sweep-tracking', { body })
  if (json) return printJson(io, envelope({ command: 'order sweep-tracking', closed: closed.length, deleted: 0 }))
  if (quiet && closed.length === 0) return
  printLine(io, `closed ${closed.length} stale order-tracking bead(s), deleted 0 closed order-tracking bead(s)`)
}
