import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

interface ApproveOptions extends JsonOption {
  all?: true
}

export function approveCommand(order: Command, context: CommandContext): void {
  withJson(order.command('approve').description('approve orders of an earlier version'))
    .option('--all', 'approve every enabled order')
    .action(async ({ all, json }: ApproveOptions) => {
      if (!all) throw usageError('look at them with `gc order list`, then approve them with `gc order approve --all`')
      const city = await context.city()
      const { approved } = await city.call('POST ~/orders/approve', { body: { all } })
      if (json) return printJson(context.io, { approved })
      const waited =
        approved === 0 ? 'No order waited' : `${approved} ${approved === 1 ? 'order waited' : 'orders waited'}`
      printLine(context.io, `${waited}; orders of ${city.name} start automatically.`)
    })
}
