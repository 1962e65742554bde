import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { BeadRuns } from '../../src/orchestration/runs/index.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

interface DeleteSource extends JsonOption {
  apply?: true
  delete?: true
}

interface Ended {
  workflow_id: string
  closed: number
  deleted: number
}

/** `gc workflow`: the older names of what `gc run` does, which prompts of packs use. */
export function workflowCommands(program: Command, context: CommandContext): void {
  const workflow = program.command('workflow').description('manage runs by their older names')
  sourceCommands(workflow, context)
  withJson(workflow.command('delete').description('close the graph of a run, or remove it'))
    .argument('<workflow>')
    .option('--delete', 'also remove its beads')
    .option('--force', 'accepted: gc never asks here')
    .action(async (id: string, options: DeleteSource) => {
      const ended = await end(await context.city(), id, options)
      if (options.json) printJson(context.io, envelope({ ...ended }))
      else printLine(context.io, sentence(ended))
    })
}

/** `delete-source`, `reopen-source` and `control`, of `gc workflow` and of `gc convoy`. */
export function sourceCommands(group: Command, context: CommandContext): void {
  withJson(group.command('delete-source').description('cancel the active runs of a bead'))
    .argument('<bead>')
    .option('--apply', 'apply the plan; default is only to print it')
    .option('--delete', 'also remove their beads')
    .option('--rig <rig>', 'accepted: the id identifies the rig')
    .option('--store-ref <store>', 'accepted: the id identifies the rig')
    .action((bead: string, options: DeleteSource) => deleteSource(context, bead, options))
  withJson(group.command('reopen-source').description('reopen a bead without active runs'))
    .argument('<bead>')
    .option('--rig <rig>', 'accepted: the id identifies the rig')
    .option('--store-ref <store>', 'accepted: the id identifies the rig')
    .action((bead: string, options: JsonOption) => reopenSource(context, bead, options))
  withJson(group.command('control').description('nothing to do: gc runs the control steps of runs itself'))
    .argument('[bead]')
    .option('--serve', 'accepted: there is nothing to serve')
    .option('--follow <agent>', 'accepted: there is nothing to follow')
    .action((_bead: string | undefined, { json }: JsonOption) => {
      const message = 'nothing to do: gc runs the control steps of runs itself'
      if (json) printJson(context.io, envelope({ message }))
      else printLine(context.io, message)
    })
}

const runsOf = (city: CityClient, id: string): Promise<BeadRuns> =>
  city.call('GET ~/bead/{id}/runs', { params: { id } })

async function deleteSource(context: CommandContext, bead: string, options: DeleteSource): Promise<void> {
  const city = await context.city()
  const { runs } = await runsOf(city, bead)
  const ended: Ended[] = []
  for (const { run_id } of options.apply ? runs : []) ended.push(await end(city, run_id, options))
  if (options.json) {
    const workflows = options.apply ? ended : runs.map(({ run_id }) => ({ workflow_id: run_id }))
    return printJson(context.io, envelope({ source_bead_id: bead, applied: options.apply === true, workflows }))
  }
  const name = sanitizeLine(bead)
  if (runs.length === 0) return printLine(context.io, `No run is active for ${name}.`)
  for (const each of ended) printLine(context.io, sentence(each))
  if (options.apply) return
  for (const { run_id, title } of runs) printLine(context.io, sanitizeLine(`${run_id}  ${title}`))
  printLine(context.io, `\`gc workflow delete-source ${name} --apply\` ends them.`)
}

async function reopenSource(context: CommandContext, bead: string, { json }: JsonOption): Promise<void> {
  const city = await context.city()
  const { runs } = await runsOf(city, bead)
  if (runs.length > 0) {
    const ids = runs.map(({ run_id }) => run_id).join(', ')
    throw failure(`${bead} has active runs (${ids}); end them with gc workflow delete-source ${bead} --apply`)
  }
  const { status } = await city.call('GET ~/bead/{id}', { params: { id: bead } })
  if (status === 'closed') await city.call('POST ~/bead/{id}/reopen', { params: { id: bead } })
  const body = { status: 'open', assignee: '', metadata: { workflow_id: '', 'gc.execution_routed_to': '' } }
  await city.call('PATCH ~/bead/{id}', { params: { id: bead }, body })
  if (json) printJson(context.io, envelope({ source_bead_id: bead, reopened: true, status: 'open' }))
  else printLine(context.io, sanitizeLine(`${bead} is open; \`gc sling <agent> ${bead}\` gives it to somebody.`))
}

async function end(city: CityClient, id: string, options: { delete?: true }): Promise<Ended> {
  const query = options.delete ? { delete: true } : {}
  const { workflow_id, closed, deleted } = await city.call('DELETE ~/workflow/{workflow_id}', {
    ...{ params: { workflow_id: id }, query },
  })
  return { workflow_id, closed, deleted }
}

const sentence = ({ workflow_id: id, closed, deleted }: Ended): string =>
  sanitizeLine(`${id} is over: ${closed} beads were closed${deleted > 0 ? `, ${deleted} removed` : ''}.`)
