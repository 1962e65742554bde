import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { OrderFileResponse } from '../../src/orchestration/orders/index.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import { type JsonOption, oldSpelling, withJson } from '../context/options.ts'
import { renderLive, type WatchOption, withWatch } from '../context/watch.ts'
import { Exit } from '../io/exit.ts'
import { type Io, printJson } from '../io/io.ts'
import { printTable } from '../io/table.ts'

interface ListOptions extends JsonOption, WatchOption {
  rig?: string
  all?: true
}

export function listCommand(order: Command, context: CommandContext): void {
  withWatch(withJson(order.command('list').description('list orders, and why each is due or not')))
    .option('--rig <rig>', 'only those of this rig')
    .option('--all', 'include disabled and skipped ones')
    .addOption(oldSpelling('-a', 'all'))
    .addHelpText(
      'after',
      '\nFiles that are broken are named on standard error. An override of an order that is not there makes the status 1.',
    )
    .action((options: ListOptions) => list(context, options))
}

/** A line of the list. */
interface Listed {
  name: string
  type: string
  trigger: string
  when: string
  target: string
  why: string
}

async function list(context: CommandContext, options: ListOptions): Promise<void> {
  const city = await context.city()
  const rig = options.rig === undefined ? undefined : await context.rigNamed(city, options.rig)
  let ok = true
  await renderLive(context, city, options, async (io) => {
    ok = await print(io, city, rig, options)
  })
  if (!ok) throw new Exit(1)
}

/** Prints the orders; false when city.toml overrides one that is not there. */
async function print(io: Io, city: CityClient, rig: string | undefined, options: ListOptions): Promise<boolean> {
  const { orders, absent, problems, unmatched_overrides } = await city.call('GET ~/order-files')
  const isWanted = (each: { rig?: string }) => rig === undefined || each.rig === rig
  const wanted = orders.filter((each) => isWanted(each) && (options.all || each.enabled))
  const ok = unmatched_overrides.length === 0
  for (const problem of problems) io.err(`gc order list: ${sanitizeLine(problem)}\n`)
  if (options.json) {
    const { path: city_path } = await city.call('GET ~')
    const listed = wanted.map(toItem)
    printJson(io, withItems({ city_name: city.name, city_path, ok, orders: listed }, listed))
    return ok
  }
  const left: Listed[] = absent.filter(isWanted).map(({ name, rig: ofRig, reason, description }) => ({
    ...{ name: ofRig ? `${name}:rig:${ofRig}` : name, type: '-', trigger: '-', when: '-', target: '-' },
    why: [reason === 'skipped' ? 'skipped by [orders] skip' : 'disabled in its file', description]
      .filter(Boolean)
      .join(': '),
  }))
  printTable(
    io,
    [...wanted.map(toListed), ...(options.all ? left : [])],
    [
      { header: 'NAME', value: ({ name }) => name },
      { header: 'TYPE', value: ({ type }) => type },
      { header: 'TRIGGER', value: ({ trigger }) => trigger },
      { header: 'INTERVAL/SCHED', value: ({ when }) => when },
      { header: 'TARGET', value: ({ target }) => target },
      { header: 'WHY', value: ({ why }) => why, minWidth: 12 },
    ],
    'There are no orders; an order is a file in the folder orders of the city or of a pack.',
  )
  return ok
}

const toListed = (order: OrderFileResponse): Listed => ({
  ...{ name: order.scoped_name, type: order.type, trigger: order.trigger ?? '-' },
  when: order.interval ?? order.schedule ?? order.on ?? '-',
  target: order.pool ?? '-',
  why: order.enabled ? order.reason : 'disabled by an override',
})

/** An order as scripts read it; what is a pool in its file is a target here. */
export function toItem({ pool, gate, timeout_ms, capture_output, params, due, reason, ...order }: OrderFileResponse) {
  return { ...order, ...(pool !== undefined && { target: pool }) }
}
