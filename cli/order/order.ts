import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { printJson, printLine } from '../io/io.ts'
import { approveCommand } from './approve.ts'
import { checkCommand } from './check.ts'
import { historyCommand } from './history.ts'
import { listCommand } from './list.ts'
import { aboutOrder, type OrderOptions, requireMatchedOverrides, scopedNameOf } from './names.ts'
import { runCommand } from './run.ts'
import { showCommand } from './show.ts'
import { sweepCommands } from './sweep.ts'

/** The commands about orders as they are declared; `list` also shows problems of their files. */
const DECLARED: ReadonlySet<string> = new Set(['show', 'run', 'check', 'history', 'enable', 'disable'])

/** `gc order`: what gc runs automatically, by the clock or by what happens. */
export function orderCommands(program: Command, context: CommandContext): void {
  const order = program.command('order').description('manage orders: commands and formulas with a trigger')
  order.hook('preAction', async (_, command) => {
    if (DECLARED.has(command.name())) await requireMatchedOverrides(context)
  })
  listCommand(order, context)
  showCommand(order, context)
  runCommand(order, context)
  checkCommand(order, context)
  historyCommand(order, context)
  switchCommand(order, context, 'enable')
  switchCommand(order, context, 'disable')
  approveCommand(order, context)
  sweepCommands(order, context)
}

function switchCommand(order: Command, context: CommandContext, verb: 'enable' | 'disable'): void {
  const effect = verb === 'enable' ? 'run an order automatically' : 'run an order only when you start it'
  aboutOrder(order, verb, `${effect} (in city.toml)`).action(async (name: string, { rig, json }: OrderOptions) => {
    const city = await context.city()
    const scoped = await scopedNameOf(context, city, name, rig)
    const done = await city.call(`POST ~/order/{name}/${verb}`, { params: { name: scoped } })
    if (json) printJson(context.io, done)
    else printLine(context.io, `Order ${scoped} is ${done.status}.`)
  })
}
