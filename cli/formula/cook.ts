import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { collectPair, type JsonOption, withJson } from '../context/options.ts'
import { printJson, printLine } from '../io/io.ts'

interface Cook extends JsonOption {
  var?: Record<string, string>
  meta?: Record<string, string>
  title?: string
  attach?: string
  rig?: string
}

/** `gc formula cook`: the beads of a formula, for no one. */
export function cookCommand(formula: Command, context: CommandContext): void {
  withJson(formula.command('cook').description("create a formula's beads unassigned"))
    .argument('<formula>')
    .option('--var <key=value>', 'a variable of the formula; may be repeated', collectPair)
    .option('--meta <key=value>', 'metadata of the root bead; may be repeated', collectPair)
    .option('-t, --title <title>', 'title of the root bead')
    .option('--attach <bead>', 'bead that the run is for')
    .option('--rig <rig>', 'rig of the beads')
    .action(async (name: string, { var: vars, meta, title, attach, rig: rigName, json }: Cook) => {
      const city = await context.city()
      const rig = await context.rig(city, rigName)
      const body = {
        ...(vars && { vars }),
        ...(meta && { metadata: meta }),
        ...(title && { title }),
        ...(attach && { attach }),
        ...(rig && { rig }),
      }
      const cooked = await city.call('POST ~/formulas/{name}/cook', { params: { name }, body })
      if (json) return printJson(context.io, envelope({ ...cooked }))
      printLine(context.io, sanitizeLine(`${cooked.root_id}: ${cooked.created} beads of ${cooked.formula}`))
    })
}
