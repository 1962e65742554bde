import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import type { OrderHistoryEntry, OrderResponse } from '../../src/orchestration/orders/index.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { collectPair } from '../context/options.ts'
import { Exit, failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { aboutOrder, type OrderOptions, scopedNameOf } from './names.ts'
import { followRun, hasFailed, sentenceOf } from './output.ts'

interface RunOptions extends OrderOptions {
  var: Record<string, string>
  detach?: true
}

export function runCommand(order: Command, context: CommandContext): void {
  aboutOrder(order, 'run', 'run an order now')
    .option('--var <key=value>', 'an argument of the order; may be repeated', collectPair, {})
    .option('--detach', 'exit once the run has started')
    .addHelpText(
      'after',
      '\nPrints the output of a command as it arrives, and exits with status 1 if the run fails. Interrupting gc does not stop the run.',
    )
    .action((name: string, options: RunOptions) => run(context, name, options))
}

async function run(context: CommandContext, name: string, options: RunOptions): Promise<void> {
  const { io } = context
  const city = await context.city()
  const scoped = await scopedNameOf(context, city, name, options.rig)
  const begun = await city.call('POST ~/order/{name}/run', { params: { name: scoped }, body: { vars: options.var } })
  const { tracking_id: bead = '', scoped_name = scoped } = begun
  if (options.detach && options.json) return printJson(io, envelope({ order: name, scoped_name, tracking_id: bead }))
  if (options.detach) return printLine(io, `Order ${scoped_name} runs; follow it with: gc order show ${bead} --follow`)
  const order = await city.call('GET ~/order/{name}', { params: { name: scoped_name } })
  const output: string[] = []
  const keep = (text: string) => void output.push(text)
  const ended = await followRun(context, city, bead, options.json ? keep : undefined)
  if (!ended) throw failure(`order ${scoped_name} is still running; follow it with: gc order show ${bead} --follow`)
  if (options.json) {
    const failed = hasFailed(ended)
    printJson(io, { ...(await resultOf(city, order, ended, output.join(''))), ok: !failed })
    if (failed) throw new Exit(1)
    return
  }
  if (hasFailed(ended)) throw failure(sentenceOf(ended))
  const { wisp_root_id: root } = ended
  const routed = order.pool === undefined ? '' : ` → ${order.pool}`
  printLine(
    io,
    root ? `Order "${order.name}" executed: ${root}${routed}` : `Order "${order.name}" executed (${order.type})`,
  )
}

/** Result of a run, for scripts. */
async function resultOf(city: CityClient, order: OrderResponse, run: OrderHistoryEntry, output: string) {
  const { bead_id, exit_code, duration_ms, error, wisp_root_id } = run
  const { rig, pool } = order
  const routed = wisp_root_id === undefined ? undefined : await routeOf(city, wisp_root_id)
  return envelope({
    ...{ order: order.name, ...(rig !== undefined && { rig }), scoped_name: order.scoped_name, action: order.type },
    ...(wisp_root_id !== undefined && {
      wisp_id: wisp_root_id,
      ...(pool !== undefined && { routed_to: routed ?? pool }),
    }),
    ...{ tracking_id: bead_id, duration_ms },
    ...(exit_code !== undefined && { exit_code }),
    ...(error !== undefined && { error }),
    ...(order.type === 'exec' && { output }),
  })
}

/** Recipient of a formula's beads. */
const routeOf = async (city: CityClient, root: string): Promise<string | undefined> =>
  (await city.call('GET ~/bead/{id}', { params: { id: root } })).metadata?.['gc.routed_to']
