import type { Output } from '../../src/client/operations.ts'
import { copy } from './copy.ts'
import { doneOf } from './figures.ts'
import { type Action, isOneOf, type Line, type Reach, table } from './page.ts'
import { toneOf } from './tones.ts'

type Run = Output<'GET ~/runs/pages'>['runs'][number]
type Standing = Output<'GET ~/runs/standing'>['runs'][string]

/** A run with how far it is. */
type Listed = Run & { readonly standing?: Standing | undefined }

/** Maximum runs per progress request. */
const PAGE = 100
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'skipped'])

/** The orders of the list, and what each shows. */
const ORDERS = {
  'those under way first': 'all',
  'those that failed': 'failed',
  'those that have ended': 'ended',
} as const

const shownBy = (sort: string | undefined): 'all' | 'failed' | 'ended' =>
  Object.entries(ORDERS).find(([name]) => name === sort)?.[1] ?? 'all'

/** `12 active · 3 failed`: how many there are of each status that any has. */
const countsLine = (counts: Output<'GET ~/runs/pages'>['status_counts']): Line => {
  const parts = Object.entries(counts).flatMap(([status, count]) => (count > 0 ? [`${count} ${status}`] : []))
  return { text: parts.join(' · ') || 'no run yet', tone: 'quiet' }
}

/** The runs of formulas: those under way first. */
export const runsPage = table<Listed>({
  name: 'runs',
  title: 'runs',
  help: 'runs of formulas',
  empty: 'none: gc sling AGENT BEAD --on FORMULA begins one',
  columns: [
    { title: 'run', width: 10, isName: true, cell: ({ run_id }) => run_id },
    {
      title: 'state',
      width: 10,
      cell: ({ status, standing }) => ({
        text: status,
        tone: status === 'completed' && standing?.failure ? 'warning' : toneOf(status),
      }),
    },
    { title: 'title', width: 16, grows: true, cell: ({ title }) => title },
    { title: 'begun with', width: 16, grows: true, leaves: 2, cell: ({ standing }) => varsOf(standing?.vars) },
    { title: 'done', width: 5, cell: ({ standing }) => (standing ? doneOf(standing.done, standing.steps) : '') },
    { title: 'formula', width: 14, leaves: 4, yields: true, isName: true, cell: ({ formula }) => formula },
    { title: 'target', width: 14, leaves: 3, yields: true, isName: true, cell: ({ target }) => target },
    {
      title: 'why',
      width: 12,
      grows: true,
      leaves: 1,
      cell: ({ status, last_error: error, standing }) => ({
        text: error?.message ?? (status === 'completed' ? standing?.failure : undefined) ?? '',
        tone: 'bad',
      }),
    },
    {
      title: 'age',
      width: 4,
      cell: ({ updated_at, started_at }) => ({ since: updated_at ?? started_at ?? '', tone: 'quiet' }),
    },
  ],
  idOf: ({ run_id }) => run_id,
  sorts: Object.keys(ORDERS),
  isChangedBy: isOneOf('run.', 'execution.', 'molecule.', 'bead.closed'),
  opens: ({ run_id }, city) => ({ page: 'run', city, subject: run_id }),
  load: async (reach, { cursor, sort }) => {
    const { city, signal } = reach
    const query = { show: shownBy(sort), limit: PAGE, ...(cursor && { cursor }) }
    const page = await city.call('GET ~/runs/pages', { query, ...(signal && { signal }) })
    const items = await withStanding(reach, page.runs)
    return { items, total: page.total, next: page.next_cursor, head: [countsLine(page.status_counts)] }
  },
  actionsOf: (run) => runActions(run),
})

async function withStanding({ city, signal }: Reach, runs: readonly Run[]): Promise<Listed[]> {
  const ids = runs.map(({ run_id }) => run_id)
  const query = { ids: ids.join(',') }
  const { runs: known } = await city.call('GET ~/runs/standing', { query, ...(signal && { signal }) })
  return runs.map((run) => ({ ...run, standing: known[run.run_id] }))
}

/** `level=small name=search`: what a run was begun with, beside its rig. */
export const varsOf = (vars: Standing['vars'] = {}): string =>
  Object.entries(vars)
    .flatMap(([name, value]) => (name === 'rig_name' ? [] : [`${name}=${value}`]))
    .join(' ')

const resume =
  (id: string): Action['run'] =>
  async ({ city }) => {
    await city.call('POST ~/runs/{run_id}/resume', { params: { run_id: id } })
    return { text: `${id} continues` }
  }

const pause =
  (id: string): Action['run'] =>
  async ({ city }) => {
    await city.call('POST ~/runs/{run_id}/pause', { params: { run_id: id }, body: {} })
    return { text: `${id} is paused; P resumes it`, undo: { name: 'resume', run: resume(id) } }
  }

/** The actions on a run. */
export function runActions({ run_id: id, title, status }: Run): Action[] {
  const ended = ENDED.has(status) ? `${id} has ended` : undefined
  const params = { run_id: id }
  return [
    {
      key: 'x',
      name: 'cancel',
      help: 'end it; its open steps are closed',
      disabled: ended,
      confirm: `Cancel ${id} (${title})? Its open steps are closed.`,
      run: async ({ city }) => {
        const { closed } = await city.call('POST ~/runs/{run_id}/cancel', { params })
        return { text: `${id} is being canceled; ${closed} steps were closed` }
      },
    },
    {
      key: 'p',
      name: 'pause',
      help: 'start none of its steps until it is resumed',
      disabled: ended,
      run: pause(id),
    },
    { key: 'P', name: 'resume', help: 'resume a paused run', disabled: ended, run: resume(id) },
    {
      key: 'r',
      name: 'retry-run',
      help: 'do again what failed',
      disabled: status === 'failed' ? undefined : `${id} has not failed; R on a step does it again`,
      confirm: `Retry ${id} (${title})? What failed, and all that follows it, is done again.`,
      run: async ({ city }) => {
        await city.call('POST ~/runs/{run_id}/retry', { params, body: {} })
        return { text: `${id} continues where it failed` }
      },
    },
    {
      key: 'd',
      name: 'dismiss',
      help: 'clear its failure from what needs attention',
      disabled: ended === undefined ? `${id} is still running` : undefined,
      run: async ({ city }) => {
        await city.call('POST ~/runs/{run_id}/dismiss', { params })
        return { text: `${id} no longer needs attention` }
      },
    },
    {
      key: 't',
      name: 'timeline',
      help: 'outcome, time and cost of every step',
      run: async ({ city }) => ({ opens: { page: 'timeline', city: city.name, subject: id } }),
    },
    {
      key: 'D',
      name: 'graph',
      help: 'its steps, and what waits for what',
      run: async ({ city }) => ({ opens: { page: 'graph', city: city.name, subject: id } }),
    },
    copy('y', 'copy', 'its id', id),
  ]
}
