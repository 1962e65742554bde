import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { countOf, formatAge } from '../../src/client/text.ts'
import type { Run } from '../../src/orchestration/runs/index.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { renderLive, type WatchOption, watched, withWatch } from '../context/watch.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printFields, printTable } from '../io/table.ts'
import { controlCommands } from './controls.ts'
import { timelineCommand } from './timeline.ts'

const FINAL: readonly string[] = ['completed', 'failed', 'canceled', 'skipped']

interface List extends JsonOption, WatchOption {
  limit: number
}

/** `gc run`: where the runs of formulas stand, and how to stop, pause and resume one. */
export function runCommands(program: Command, context: CommandContext): void {
  const run = program.command('run').description('show and control runs of formulas')
  withWatch(withJson(run.command('list').description('list runs, active ones first')))
    .option('--limit <n>', 'maximum rows', parseCount, 100)
    .action(async (options: List) => {
      const city = await context.city()
      await renderLive(context, city, options, (io) => list(io, city, options))
    })
  withWatch(withJson(run.command('show').alias('status').description('show a run and its steps')))
    .argument('<run>')
    .addHelpText('after', '\nWith --watch it ends when the run is over.')
    .action(async (id: string, options: JsonOption & WatchOption) => {
      const city = await context.city()
      await renderLive(context, city, options, (io) => show(io, city, id, options))
    })
  withWatch(withJson(run.command('steps').description('list the steps of a run')))
    .argument('<run>')
    .action(watched(context, showSteps))
  withJson(run.command('cancel').description('cancel a run and close its open steps'))
    .argument('<run>')
    .action(async (id: string, { json }: JsonOption) => {
      const city = await context.city()
      const canceled = await city.call('POST ~/runs/{run_id}/cancel', { params: { run_id: id } })
      if (json) printJson(context.io, canceled)
      else
        printLine(
          context.io,
          `${canceled.run_id} is ${canceled.status}; ${countOf(canceled.closed, 'bead')} ${canceled.closed === 1 ? 'was' : 'were'} closed.`,
        )
    })
  withJson(run.command('dismiss').description('dismiss the failure of a run from attention'))
    .argument('<run>')
    .action(async (id: string, { json }: JsonOption) => {
      const city = await context.city()
      const dismissed = await city.call('POST ~/runs/{run_id}/dismiss', { params: { run_id: id } })
      if (json) printJson(context.io, dismissed)
      else printLine(context.io, `${dismissed.run_id} no longer needs attention.`)
    })
  timelineCommand(run, context)
  controlCommands(run, context)
}

async function showSteps(context: CommandContext, id: string, { json }: JsonOption): Promise<void> {
  const city = await context.city()
  const steps = await city.call('GET ~/runs/{run_id}/steps', { params: { run_id: id } })
  if (json) printJson(context.io, steps)
  else await printSteps(context.io, city, id)
}

async function list(io: Io, city: CityClient, { limit, json }: List): Promise<void> {
  const { runs, ...rest } = await city.call('GET ~/runs', { query: { limit } })
  const isCut = rest.partial === true && runs.length === limit
  if (json) return printJson(io, withItems({ runs, ...rest }, runs))
  const failures = await readFailures(city, runs)
  const now = Date.now()
  printTable(
    io,
    runs,
    [
      { header: 'RUN', value: ({ run_id }) => run_id },
      { header: 'STATUS', value: ({ run_id, status }) => statusOf(status, failures.get(run_id)) },
      { header: 'FORMULA', value: ({ formula }) => formula, minWidth: 8 },
      { header: 'TARGET', value: ({ target }) => target, minWidth: 8 },
      { header: 'UPDATED', value: ({ updated_at = '' }) => formatAge(updated_at, now) },
      { header: 'TITLE', value: ({ title }) => title, minWidth: 8 },
      {
        header: 'FAILED',
        value: ({ run_id, status, last_error: error }) =>
          status === 'failed' ? error?.message || error?.code : failures.get(run_id),
        below: '→ ',
      },
    ],
    'There are no runs; `gc sling <agent> <formula> --formula` starts one.',
  )
  if (isCut) printLine(io, `These are the first ${runs.length}; --limit shows more.`)
}

/** Runs that completed although a step failed are marked. */
const statusOf = (status: string, failure: string | undefined): string =>
  status === 'completed' && failure !== undefined ? 'completed, a step failed' : status

const PAGE = 100

/** The step that failed first in each of these runs. */
async function readFailures(city: CityClient, runs: readonly Run[]): Promise<Map<string, string>> {
  const failures = new Map<string, string>()
  const over = runs.filter(({ status }) => status === 'completed').map(({ run_id }) => run_id)
  for (let from = 0; from < over.length; from += PAGE) {
    const ids = over.slice(from, from + PAGE).join(',')
    const { runs: found } = await city.call('GET ~/runs/standing', { query: { ids } })
    for (const [id, { failure }] of Object.entries(found)) if (failure !== undefined) failures.set(id, failure)
  }
  return failures
}

async function show(io: Io, city: CityClient, id: string, { json }: JsonOption): Promise<'over' | undefined> {
  const run = await city.call('GET ~/runs/{run_id}', { params: { run_id: id } })
  if (json) printJson(io, run)
  else {
    const {
      waits_for,
      part_of: part,
      failure,
    } = await city.call('GET ~/runs/{run_id}/progress', { params: { run_id: id } })
    const parent = part && `${part.run_id}, for its member ${part.member_id}`
    const failed = run.last_error?.message === failure ? undefined : failure
    printFields(io, [...fieldsOf(run), ['failed', failed], ['part of', parent], ['waits for', waits_for]])
    printLine(io, '')
    await printSteps(io, city, id)
  }
  return FINAL.includes(run.status) ? 'over' : undefined
}

const fieldsOf = ({ run_id, title, status, formula, target, started_at, last_error }: Run) =>
  [
    ['run', run_id],
    ['title', title],
    ['status', status],
    ['formula', formula],
    ['target', target],
    ['started', started_at],
    ['error', last_error?.message || last_error?.code],
  ] as const

async function printSteps(io: Io, city: CityClient, id: string): Promise<void> {
  const { steps } = await city.call('GET ~/runs/{run_id}/steps', { params: { run_id: id } })
  printTable(
    io,
    steps,
    [
      { header: 'STEP', value: (step) => step.id },
      { header: 'STATUS', value: (step) => step.status },
      { header: 'ASSIGNEE', value: ({ assignee }) => assignee, minWidth: 8 },
      { header: 'TITLE', value: ({ title }) => title, minWidth: 8 },
    ],
    'It has no steps.',
  )
}
