import type { Output } from '../../src/client/operations.ts'
import { isOneOf, type Line, text } from './page.ts'
import { runActions } from './runs.ts'
import { isBookkeeping, markOf } from './steps.ts'
import { toneOf } from './tones.ts'

type Graph = Pick<Output<'GET ~/workflow/{workflow_id}'>, 'beads' | 'deps' | 'root_bead_id'>
type Step = Graph['beads'][number]

/** The graph of a run: every step below what it waits for. */
export const graphPage = text({
  name: 'graph',
  about: 'run',
  title: 'graph',
  help: 'the graph of a run: what waits for what, and the attempts at each step',
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

/** The steps as a tree: each below the last step that it waits for, after the attempts at that. */
export function graphLines({ beads, deps, root_bead_id: root }: Graph): Line[] {
  const all = beads.filter(({ id, kind }) => id !== root && !isBookkeeping(kind))
  const attempts = attemptsOf(all)
  const tried = new Set([...attempts.values()].flat())
  const steps = all.filter((step) => !tried.has(step))
  const known = new Set(steps.map(({ id }) => id))
  const edges = deps.filter(({ from, to, kind }) => kind !== 'parent-child' && known.has(from) && known.has(to))
  const before = Map.groupBy(edges, ({ to }) => to)
  const waitsFor = (id: string) => (before.get(id) ?? []).map(({ from }) => from)
  const depths = depthsOf(
    steps.map(({ id }) => id),
    waitsFor,
  )
  const after = Map.groupBy(steps, ({ id }) => lastOf(waitsFor(id), depths, depths.get(id) ?? 0))
  const nodesAfter = (id: string | undefined): Node[] =>
    (after.get(id) ?? []).map((step) => {
      const tries = (attempts.get(step) ?? []).map((attempt) => ({ line: attemptLine(attempt), below: [] }))
      return { line: stepLine(step, waitsFor(step.id)), below: [...tries, ...nodesAfter(step.id)] }
    })
  return nodesAfter(undefined).flatMap((node) => treeLines(node, '', ''))
}

/** A line of the graph, and what stands below it. */
interface Node {
  readonly line: Line
  readonly below: readonly Node[]
}

/** The lines of a node: its own after one part of a tree, those below it after another. */
function treeLines({ line, below }: Node, first: string, rest: string): Line[] {
  const others = below.flatMap((node, at) =>
    at === below.length - 1 ? treeLines(node, `${rest}└─ `, `${rest}   `) : treeLines(node, `${rest}├─ `, `${rest}│  `),
  )
  return [{ ...line, text: first + line.text, hang: first.length + 4, said: line.text }, ...others]
}

/** Of the steps that one waits for, the one that comes last: it alone is less deep by one, and in no circle. */
const lastOf = (ids: readonly string[], depths: ReadonlyMap<string, number>, depth: number): string | undefined =>
  ids.find((id) => depths.get(id) === depth - 1)

/** The attempts at each step that is tried until its check passes: the first names the step, later ones its bead. */
function attemptsOf(steps: readonly Step[]): ReadonlyMap<Step, readonly Step[]> {
  const attempts = Map.groupBy(
    steps.filter(({ attempt }) => attempt !== undefined),
    ({ metadata }) => metadata['gc.control_for'],
  )
  return new Map(
    steps.flatMap((step) => {
      if (step.attempt !== undefined) return []
      const names = [step.metadata['gc.step_id'], step.id].filter((name) => name !== undefined)
      const own = names.flatMap((name) => attempts.get(name) ?? [])
      return own.length === 0 ? [] : [[step, own] as const]
    }),
  )
}

function stepLine({ id, title, status, assignee, metadata }: Step, waitsFor: readonly string[]): Line {
  const most = metadata['gc.max_attempts']
  const facts = [title, most && `at most ${most} attempts`, status === 'active' && assignee].filter(Boolean).join(' · ')
  const after = waitsFor.length === 0 ? '' : ` ← ${waitsFor.join(', ')}`
  return { text: `${markOf(status)} ${id}  ${facts}${after}`, tone: toneOf(status) }
}

/** Work that was finished and did not pass its check has failed as an attempt. */
function attemptLine({ id, status, attempt, assignee, metadata }: Step): Line {
  const exit = metadata['gc.exit_code'] ?? '0'
  const said =
    exit === '0' ? '' : `: ${(metadata['gc.stdout'] || metadata['gc.stderr'] || `exit status ${exit}`).trim()}`
  const shown = exit === '0' ? status : 'failed'
  const text = `${markOf(shown)} ${id}  attempt ${attempt ?? ''}${status === 'active' ? ` · ${assignee}` : ''}${said}`
  return { text, tone: toneOf(shown) }
}

/** Number of steps that come before each, on the longest way; a circle ends where it is entered again. */
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
