import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { Exit, failure } from '../io/exit.ts'
import { printJson } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { scopedNameOf } from './names.ts'

interface CheckOptions extends JsonOption {
  rig?: string
}

export function checkCommand(order: Command, context: CommandContext): void {
  withJson(order.command('check').description('check which orders are due, and why'))
    .argument('[order]', 'only this order')
    .option('--rig <rig>', 'only those of this rig')
    .addHelpText('after', '\nThe status is 0 when any order is due, and 1 when none is.')
    .action((order: string | undefined, options: CheckOptions) => check(context, order, options))
}

async function check(context: CommandContext, order: string | undefined, options: CheckOptions): Promise<void> {
  const { rig: named, json } = options
  const { io } = context
  const city = await context.city()
  const rig = named === undefined ? undefined : await context.rigNamed(city, named)
  const only = order ? await enabledOrder(context, city, order, named) : undefined
  const { orders } = await city.call('GET ~/orders')
  const triggers = new Map(orders?.map(({ scoped_name, trigger = '' }) => [scoped_name, trigger]))
  const { checks } = await city.call('GET ~/orders/check', { query: { fresh: true } })
  const looked = (checks ?? []).filter(
    (each) => (rig === undefined || each.rig === rig) && (only === undefined || each.scoped_name === only),
  )
  const due = looked.filter((each) => each.due).length
  if (json) {
    const listed = looked.map(({ name, rig: ofRig, scoped_name, due: isDue, reason }) => ({
      ...{ name, ...(ofRig !== undefined && { rig: ofRig }), scoped_name, trigger: triggers.get(scoped_name) ?? '' },
      ...{ due: isDue, reason },
    }))
    printJson(io, envelope({ any_due: due > 0, orders_total: looked.length, due_total: due, orders: listed }))
  } else {
    printTable(
      io,
      looked,
      [
        { header: 'NAME', value: ({ scoped_name }) => scoped_name },
        { header: 'TRIGGER', value: ({ scoped_name }) => triggers.get(scoped_name) },
        {
          header: 'DUE',
          value: (each) => (each.due ? 'yes' : 'no'),
          colour: (each) => (each.due ? 'green' : undefined),
        },
        { header: 'REASON', value: ({ reason }) => reason, minWidth: 12 },
      ],
      'There are no orders that are enabled.',
    )
  }
  if (due === 0) throw new Exit(1)
}

/** The full name of an order that can be due. */
async function enabledOrder(
  context: CommandContext,
  city: CityClient,
  name: string,
  rig: string | undefined,
): Promise<string> {
  const params = { name: await scopedNameOf(context, city, name, rig) }
  const { scoped_name, enabled } = await city.call('GET ~/order/{name}', { params })
  if (enabled) return scoped_name
  throw failure(`order ${scoped_name} is disabled and never due; \`gc order enable ${scoped_name}\` enables it`)
}
