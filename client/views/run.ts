import type { Output } from '../../src/client/operations.ts'
import { readTimeline } from '../../src/client/run-timeline.ts'
import { formatTime } from '../../src/client/text.ts'
import { attachTo } from './attach.ts'
import { copy } from './copy.ts'
import { doneLine } from './figures.ts'
import { type Action, isOneOf, type Line, table } from './page.ts'
import { runActions, varsOf } from './runs.ts'
import { costOf, formatWorkTime, isBookkeeping, type TimelineStep, titleOf } from './steps.ts'
import { toneOf } from './tones.ts'

type Run = Output<'GET ~/runs/{run_id}'>
type Progress = Output<'GET ~/runs/{run_id}/progress'>
type Standing = Output<'GET ~/runs/standing'>['runs'][string]

/** A step of a run, with what is known of its work. */
type Step = Output<'GET ~/runs/{run_id}/steps'>['steps'][number] & {
  readonly run: string
  readonly work: TimelineStep | undefined
}

const MAX_STEPS = 1_000

/** One run: where it stands, what it waits for, and its steps. */
export const runPage = table<Step>({
  name: 'run',
  about: 'run',
  title: 'steps',
  help: 'a run with its steps',
  empty: 'it has no steps',
  columns: [
    { title: 'step', width: 14, isName: true, cell: ({ id }) => id },
    { title: 'state', width: 11, cell: ({ status }) => ({ text: status, tone: toneOf(status) }) },
    { title: 'title', width: 28, grows: true, cell: ({ title, work }) => (work ? titleOf(work) : title) },
    { title: 'who', width: 16, leaves: 1, isName: true, cell: ({ assignee }) => assignee },
    { title: 'worked', width: 7, leaves: 2, cell: ({ work }) => formatWorkTime(work?.seconds ?? 0) },
    { title: 'cost', width: 8, leaves: 3, cell: ({ work }) => (work ? costOf(work) : '') },
  ],
  idOf: ({ id }) => id,
  isSystem: ({ work }) => isBookkeeping(work?.kind),
  isChangedBy: isOneOf('run.', 'execution.', 'bead.', 'session.'),
  opens: ({ id }, city) => ({ page: 'bead', city, subject: id }),
  load: async ({ city, subject, signal }) => {
    const call = { params: { run_id: subject }, ...(signal && { signal }) }
    const [run, { steps }, progress, { runs }, timeline] = await Promise.all([
      city.call('GET ~/runs/{run_id}', call),
      city.call('GET ~/runs/{run_id}/steps', call),
      city.call('GET ~/runs/{run_id}/progress', call),
      city.call('GET ~/runs/standing', { query: { ids: subject }, ...(signal && { signal }) }),
      readTimeline(city, subject, MAX_STEPS, signal),
    ])
    const known = new Map(timeline.steps.map((step) => [step.bead_id, step]))
    const items = (steps ?? []).map((step) => ({ ...step, run: subject, work: known.get(step.id) }))
    return { items, total: items.length, head: headLines(run, progress, runs[subject]), actions: runActions(run) }
  },
  actionsOf: (step) => [
    retry(step),
    skip(step),
    attachTo(step.assignee, `no session works on ${step.id}`),
    copy('Y', 'copy-step', 'the id of the step', step.id),
  ],
})

/** State of a run, with its reason. */
function headLines(
  run: Run,
  { waits_for: waits, part_of: part, failure }: Progress,
  standing: Standing | undefined,
): Line[] {
  const { title, status, formula, target, started_at: started, last_error: error } = run
  const vars = varsOf(standing?.vars)
  const facts = [status, formula, target && `goes to ${target}`, started && `since ${formatTime(started)}`]
  return [
    { text: title, tone: 'strong' },
    { text: facts.filter(Boolean).join(' · '), tone: toneOf(status) },
    ...(standing ? doneLine(standing.done, standing.steps) : []),
    ...(vars === '' ? [] : [{ text: vars, tone: 'quiet' as const, hang: 2 }]),
    ...(part ? [{ text: `part of ${part.run_id}, for its member ${part.member_id}`, tone: 'quiet' as const }] : []),
    ...(waits ? [{ text: `waits: ${waits}`, tone: 'warning' as const, hang: 2 }] : []),
    ...(error ? [{ text: error.message ?? error.code, tone: 'bad' as const }] : []),
    ...(failure && failure !== error?.message ? [{ text: failure, tone: 'bad' as const }] : []),
  ]
}

/** States of a step that is over. */
const OVER: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'skipped'])

const retry = ({ run, id, title, status }: Step): Action => ({
  key: 'R',
  name: 'retry',
  help: 'do this step and all that follow it again',
  disabled: OVER.has(status) ? undefined : `${id} is not over: only a step that is closed is done again`,
  confirm: `Retry ${run} from ${id} (${title})? This step and all that follow it are done again.`,
  run: async ({ city }) => {
    await city.call('POST ~/runs/{run_id}/retry', { params: { run_id: run }, body: { step: id } })
    return { text: `${run} continues from ${id}` }
  },
})

const skip = ({ run, id, status }: Step): Action => ({
  key: 's',
  name: 'skip',
  help: 'continue the run without this step',
  disabled: OVER.has(status) ? `${id} is over` : undefined,
  fields: [{ name: 'reason', title: `why ${id} is skipped` }],
  run: async ({ city }, { reason = '' }) => {
    await city.call('POST ~/runs/{run_id}/skip', { params: { run_id: run }, body: { step: id, reason } })
    return { text: `${id} is skipped` }
  },
})
