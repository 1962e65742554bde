import type { Output } from '../../src/client/operations.ts'
import { isOneOf, type Line, text } from './page.ts'
import { runActions } from './runs.ts'
import { toneOf } from './tones.ts'

type Graph = Output<'GET ~/workflow/{workflow_id}'>
type Step = Graph['beads'][number]

const MARKS: Readonly<Record<string, string>> = {
  ...{ completed: '✓', failed: '✗', active: '▶', in_progress: '▶' },
  ...{ skipped: '↷', canceled: '✗', closed: '✓', blocked: '◌' },
}

/** The graph of a run: every step below what it waits for. */
export const graphPage = text({
  name: 'graph',
  about: 'run',
  title: 'graph',
  help: 'the graph of a run: what waits for what',
  isChangedBy: isOneOf('run.', 'execution.', 'bead.'),
  load: async ({ city, subject: id, signal }) => {
    const call = signal ? { signal } : {}
    const [run, graph] = await Promise.all([
      city.call('GET ~/runs/{run_id}', { params: { run_id: id }, ...call }),
      city.call('GET ~/workflow/{workflow_id}', { params: { workflow_id: id }, ...call }),
    ])
    return {
      head: [{ text: `${run.title} · ${run.status}`, tone: toneOf(run.status) }],
      lines: graphLines(graph),
      actions: runActions(run),
      opens: { page: 'run', city: city.name, subject: id },
    }
  },
})

/** The steps in the order in which they can be done, each as far in as steps come before it. */
export function graphLines({
  beads,
  deps,
  root_bead_id: root,
}: Pick<Graph, 'beads' | 'deps' | 'root_bead_id'>): Line[] {
  const steps = beads.filter(({ id }) => id !== root)
  const known = new Set(steps.map(({ id }) => id))
  const edges = deps.filter(({ from, to, kind }) => kind !== 'parent-child' && known.has(from) && known.has(to))
  const before = Map.groupBy(edges, ({ to }) => to)
  const waitsFor = (id: string) => (before.get(id) ?? []).map(({ from }) => from)
  const depths = depthsOf(
    steps.map(({ id }) => id),
    waitsFor,
  )
  const ordered = steps.map((step) => ({ step, depth: depths.get(step.id) ?? 0 })).sort((a, b) => a.depth - b.depth)
  return ordered.map(({ step, depth }) => stepLine(step, depth, waitsFor(step.id)))
}

function stepLine({ id, title, status }: Step, depth: number, waitsFor: readonly string[]): Line {
  const after = waitsFor.length === 0 ? '' : ` ← ${waitsFor.join(', ')}`
  return {
    text: `${'   '.repeat(depth)}${MARKS[status] ?? '○'} ${id}  ${title}${after}`,
    tone: toneOf(status),
    hang: 4,
  }
}

/** How many steps come before each, on the longest way; a circle ends where it is entered again. */
function depthsOf(ids: readonly string[], waitsFor: (id: string) => readonly string[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>()
  const entered = new Set<string>()
  const depthOf = (id: string): number => {
    const known = depths.get(id)
    if (known !== undefined || entered.has(id)) return known ?? 0
    entered.add(id)
    const depth = Math.max(-1, ...waitsFor(id).map(depthOf)) + 1
    depths.set(id, depth)
    return depth
  }
  for (const id of ids) depthOf(id)
  return depths
}
