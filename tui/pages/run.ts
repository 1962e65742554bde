import type { Output } from '../../src/client/operations.ts'
import { formatTime } from '../../src/client/text.ts'
import { type Action, isOneOf, type Line, table } from './page.ts'
import { runActions } from './runs.ts'
import { toneOf } from './tones.ts'

type Run = Output<'GET ~/runs/{run_id}'>
type Step = Output<'GET ~/runs/{run_id}/steps'>['steps'][number] & { readonly run: string }

/** One run: where it stands, and its steps. */
export const runPage = table<Step>({
  name: 'run',
  about: 'run',
  title: 'steps',
  help: 'a run with its steps',
  empty: 'it has no steps',
  columns: [
    { title: 'step', width: 14, isName: true, cell: ({ id }) => id },
    { title: 'state', width: 11, cell: ({ status }) => ({ text: status, tone: toneOf(status) }) },
    { title: 'kind', width: 10, leaves: 2, cell: ({ kind }) => ({ text: kind ?? '', tone: 'quiet' }) },
    { title: 'title', width: 28, grows: true, cell: ({ title }) => title },
    { title: 'who', width: 16, leaves: 1, isName: true, cell: ({ assignee }) => assignee },
  ],
  idOf: ({ id }) => id,
  isChangedBy: isOneOf('run.', 'execution.', 'bead.', 'session.'),
  opens: ({ id }, city) => ({ page: 'bead', city, subject: id }),
  load: async ({ city, subject, signal }) => {
    const call = { params: { run_id: subject }, ...(signal && { signal }) }
    const [run, { steps }] = await Promise.all([
      city.call('GET ~/runs/{run_id}', call),
      city.call('GET ~/runs/{run_id}/steps', call),
    ])
    const items = (steps ?? []).map((step) => ({ ...step, run: subject }))
    return { items, total: items.length, head: headLines(run), actions: runActions(run) }
  },
  actionsOf: (step) => [retry(step), skip(step)],
})

/** Where a run stands, and why. */
function headLines({ title, status, formula, target, started_at: started, last_error: error }: Run): Line[] {
  const facts = [status, formula, target && `goes to ${target}`, started && `since ${formatTime(started)}`]
  return [
    { text: title, tone: 'strong' },
    { text: facts.filter(Boolean).join(' · '), tone: toneOf(status) },
    ...(error ? [{ text: error.message ?? error.code, tone: 'bad' as const }] : []),
  ]
}

const retry = ({ run, id, title }: Step): Action => ({
  key: 'R',
  name: 'retry',
  help: 'do this step and all that follow it again',
  confirm: `Retry ${run} from ${id} (${title})? This step and all that follow it are done again.`,
  run: async ({ city }) => {
    await city.call('POST ~/runs/{run_id}/retry', { params: { run_id: run }, body: { step: id } })
    return { text: `${run} goes on from ${id}` }
  },
})

const skip = ({ run, id }: Step): Action => ({
  key: 's',
  name: 'skip',
  help: 'let the run go on without this step',
  fields: [{ name: 'reason', title: `why ${id} is skipped` }],
  run: async ({ city }, { reason = '' }) => {
    await city.call('POST ~/runs/{run_id}/skip', { params: { run_id: run }, body: { step: id, reason } })
    return { text: `${id} is skipped` }
  },
})
