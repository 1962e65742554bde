import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import type { OrderHistoryEntry, OrderResponse } from '../../src/orchestration/orders/index.ts'
import type { CommandContext } from '../context/context.ts'
import { parseDate } from '../context/dates.ts'
import { envelope, withItems } from '../context/envelope.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { printJson } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { scopedNameOf } from './names.ts'
import { hasFailed } from './output.ts'

interface HistoryOptions extends JsonOption {
  rig?: string
  limit: number
  since?: number
}

/** Number of runs that are asked for together. */
const PAGE = 500

export function historyCommand(order: Command, context: CommandContext): void {
  withWatch(withJson(order.command('history').description('list runs of orders, newest first')))
    .argument('[order]', 'name, or name:rig:<rig> for an order of a rig')
    .option('--rig <rig>', 'only orders of this rig')
    .option('--limit <n>', 'maximum rows; 0 for all', parseCount, 50)
    .option('--since <time>', 'since a date, or an age such as 10m or 2d', parseDate)
    .action(watched(context, history))
}

async function history(context: CommandContext, name: string | undefined, options: HistoryOptions): Promise<void> {
  const { io } = context
  const city = await context.city()
  const given = name === undefined ? undefined : await scopedNameOf(context, city, name, options.rig)
  const found = given === undefined ? undefined : await find(city, given)
  // The runs of an order that is gone are still listed.
  const scoped = found instanceof ApiError ? given : found?.scoped_name
  const rig = name === undefined && options.rig !== undefined ? await context.rigNamed(city, options.rig) : undefined
  const entries: OrderHistoryEntry[] = []
  const limit = options.limit || Number.POSITIVE_INFINITY
  const oldest = options.since ?? Number.NEGATIVE_INFINITY
  for await (const entry of runsOf(city, scoped, limit)) {
    if (entries.length >= limit || Date.parse(entry.created_at) < oldest) break
    if (rig === undefined || entry.rig === rig) entries.push(entry)
  }
  if (found instanceof ApiError && entries.length === 0) throw found
  if (options.json) {
    const listed = entries.map(({ name: order, created_at, ...entry }) => ({
      ...{ order, ...entry, executed: created_at, created_at },
    }))
    return printJson(
      io,
      envelope(withItems({ ...(name && { name }), entries: listed, summary: { total: listed.length } }, listed)),
    )
  }
  printTable(
    io,
    entries,
    [
      { header: 'ORDER', value: ({ scoped_name }) => scoped_name },
      { header: 'BEAD', value: ({ bead_id }) => bead_id },
      { header: 'EXECUTED', value: ({ created_at }) => created_at.replace(/\.\d+Z$/, 'Z') },
      { header: 'OUTCOME', value: outcomeOf, colour: (entry) => (hasFailed(entry) ? 'red' : undefined) },
      { header: 'TOOK', value: ({ duration_ms }) => duration_ms && `${(Number(duration_ms) / 1000).toFixed(1)}s` },
      { header: 'ERROR', value: ({ error }) => error, minWidth: 12 },
    ],
    name === undefined ? 'No order has run yet.' : `Order ${scoped} has not run yet.`,
  )
}

/** The order of a name, or the error that there is none. */
const find = (city: CityClient, name: string): Promise<OrderResponse | ApiError> =>
  city.call('GET ~/order/{name}', { params: { name } }).catch((error) => {
    if (error instanceof ApiError && error.code === 'order-not-found') return error
    throw error
  })

/** Runs, the latest first; of one order, or of all. */
async function* runsOf(city: CityClient, scoped: string | undefined, limit: number): AsyncGenerator<OrderHistoryEntry> {
  const page = Math.min(limit, PAGE)
  const query = { limit: page, ...(scoped !== undefined && { scoped_name: scoped }) }
  for (let cursor: string | undefined; ; ) {
    const { entries, next_cursor } = await city.call('GET ~/order-runs', {
      query: { ...query, ...(cursor && { cursor }) },
    })
    yield* entries
    if (next_cursor === undefined) return
    cursor = next_cursor
  }
}

function outcomeOf(entry: OrderHistoryEntry): string {
  if (entry.duration_ms === undefined) return 'running'
  return hasFailed(entry) ? 'failed' : 'success'
}
