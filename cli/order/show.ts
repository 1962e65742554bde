import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import { sanitizeLines } from '../../src/client/text.ts'
import type { OrderFileResponse } from '../../src/orchestration/orders/index.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { watched, withWatch } from '../context/watch.ts'
import { failure, notFound } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printFields } from '../io/table.ts'
import { toItem } from './list.ts'
import { aboutOrder, type OrderOptions, scopedNameOf } from './names.ts'
import { followRun, hasFailed, reportEnd } from './output.ts'

interface ShowOptions extends OrderOptions {
  follow?: true
}

export function showCommand(order: Command, context: CommandContext): void {
  withWatch(aboutOrder(order, 'show', 'show an order, or one of its runs by its bead'))
    .option('-f, --follow', 'follow new output of its running command')
    .action(watched(context, show))
}

async function show(context: CommandContext, name: string, { rig, json, follow }: ShowOptions): Promise<void> {
  const { io } = context
  const city = await context.city()
  const scoped = await scopedNameOf(context, city, name, rig)
  const order = await find(city, scoped)
  if (!order && follow) return reportEnd(io, await followRun(context, city, scoped))
  if (!order) return showRun(io, city, scoped, json)
  if (json) return printJson(io, envelope({ order: toItem(order) }))
  if (!follow) return print(io, order)
  const { entries } = await city.call('GET ~/orders/history', { query: { scoped_name: order.scoped_name, limit: 1 } })
  const run = entries?.find(({ duration_ms }) => duration_ms === undefined)
  if (!run) throw failure(`order ${order.scoped_name} does not run now; \`gc order run ${order.scoped_name}\` runs it`)
  reportEnd(io, await followRun(context, city, run.bead_id))
}

/** The order of a name; undefined when none is called so. */
async function find(city: CityClient, name: string): Promise<OrderFileResponse | undefined> {
  try {
    const { scoped_name } = await city.call('GET ~/order/{name}', { params: { name } })
    const { orders } = await city.call('GET ~/order-files')
    return orders.find((order) => order.scoped_name === scoped_name)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'order-not-found') return undefined
    throw error
  }
}

const RUN_LABEL = 'order-run:'

/** A run by its bead. */
async function showRun(io: Io, city: CityClient, bead: string, json: true | undefined): Promise<void> {
  const run = await city.call('GET ~/order/history/{bead_id}', { params: { bead_id: bead } }).catch((error) => {
    if (error instanceof ApiError && error.status === 404) {
      throw notFound(
        'order-not-found',
        `there is no order and no run "${bead}"; \`gc order list --all\` lists valid names`,
      )
    }
    throw error
  })
  if (json) return printJson(io, envelope({ run }))
  const { bead_id, created_at, labels, output } = run
  const { status, metadata } = await city.call('GET ~/bead/{id}', { params: { id: bead_id } })
  const duration = metadata?.['convergence.gate_duration_ms']
  printFields(io, [
    ['run', bead_id],
    ['order', labels?.find((label) => label.startsWith(RUN_LABEL))?.slice(RUN_LABEL.length)],
    ['began', created_at],
    ['outcome', status !== 'closed' ? 'running' : hasFailed(run) ? 'failed' : 'success'],
    ['exit code', metadata?.['convergence.gate_exit_code']],
    ['took', duration && `${(Number(duration) / 1000).toFixed(1)} s`],
    ['labels', labels?.join(', ')],
  ])
  if (output !== '') printLine(io, `\n${sanitizeLines(output.trimEnd())}`)
}

function print(io: Io, order: OrderFileResponse): void {
  printFields(io, [
    ['order', order.scoped_name],
    ['description', order.description],
    ['exec', order.exec],
    ['formula', order.formula],
    ['target', order.pool],
    ['trigger', order.trigger],
    ['interval', order.interval],
    ['schedule', order.schedule && `${order.schedule} (${order.tz})`],
    ['on', order.on],
    ['check', order.check],
    ['timeout', order.timeout ?? `${order.timeout_ms / 1000}s`],
    ['params', Object.entries(order.params).map(toParam).join(', ')],
    ...Object.entries(order.env ?? {}).map(([name, value]) => ['env', `${name}=${value}`] as const),
    ['enabled', order.enabled ? 'yes' : 'no, by an override'],
    ['due', order.enabled ? `${order.due ? 'yes' : 'no'}: ${order.reason}` : undefined],
    ['source', order.source],
  ])
}

const toParam = ([name, { required }]: [string, { required: boolean }]): string =>
  required ? `${name} (required)` : name
