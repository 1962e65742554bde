import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, oldSpelling, withJson } from '../context/options.ts'
import { printJson, printLine } from '../io/io.ts'

interface Reason extends JsonOption {
  reason?: string
}

interface Retry extends Reason {
  step?: string
}

interface Skip extends JsonOption {
  reason: string
}

/** Controls of a run: retry, skip, pause and resume. */
export function controlCommands(run: Command, context: CommandContext): void {
  withJson(run.command('retry').description('retry failed steps, or a step and all after it'))
    .argument('<run>')
    .option('--step <step>', 'first step to repeat: bead or step name')
    .addOption(oldSpelling('--from <step>', 'step'))
    .option('--reason <text>', 'reason, shown with the run')
    .action(async (id: string, { json, step, reason }: Retry) => {
      const city = await context.city()
      const body = { ...(step && { step }), ...(reason && { reason }) }
      const retried = await city.call('POST ~/runs/{run_id}/retry', { params: { run_id: id }, body })
      if (json) return printJson(context.io, retried)
      printLine(
        context.io,
        `${retried.run_id} is ${retried.status} again; \`gc run show ${retried.run_id} --watch\` follows it.`,
      )
    })
  withJson(run.command('skip').description('skip a failed or unstarted step'))
    .argument('<run>')
    .argument('<step>', 'bead of the step, or its name in the formula')
    .requiredOption('--reason <text>', 'reason, stored with the step')
    .action(async (id: string, step: string, { json, reason }: Skip) => {
      const city = await context.city()
      const skipped = await city.call('POST ~/runs/{run_id}/skip', { params: { run_id: id }, body: { step, reason } })
      if (json) return printJson(context.io, skipped)
      printLine(
        context.io,
        `${skipped.run_id} continues without ${step}; \`gc run show ${skipped.run_id}\` shows its steps.`,
      )
    })
  pauseCommands(run, context)
}

function pauseCommands(run: Command, context: CommandContext): void {
  withJson(run.command('pause').description('pause a run; started steps finish'))
    .argument('<run>')
    .option('--reason <text>', 'reason, shown with the run')
    .action(async (id: string, { json, reason }: Reason) => {
      const city = await context.city()
      const body = reason ? { reason } : {}
      const paused = await city.call('POST ~/runs/{run_id}/pause', { params: { run_id: id }, body })
      if (json) printJson(context.io, paused)
      else printLine(context.io, `${paused.run_id} is paused; \`gc run resume ${paused.run_id}\` continues it.`)
    })
  withJson(run.command('resume').description('resume a paused run'))
    .argument('<run>')
    .action(async (id: string, { json }: JsonOption) => {
      const city = await context.city()
      const resumed = await city.call('POST ~/runs/{run_id}/resume', { params: { run_id: id } })
      if (json) printJson(context.io, resumed)
      else printLine(context.io, `${resumed.run_id} continues.`)
    })
}
