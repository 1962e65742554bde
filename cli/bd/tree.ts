import type { BeadRelation } from '../../src/work/beads/index.ts'
import { GATING } from '../bead/blockers.ts'
import type { BdContext } from './context.ts'
import { type Issue, toBare } from './issue.ts'

type Way = 'down' | 'up' | 'both'

export interface TreeOptions {
  direction?: Way
  reverse?: true
  maxDepth: number
  depth?: number
  showAllPaths?: true
  status?: string
  format?: 'mermaid' | 'json'
}

/** A place in a tree of dependencies. */
interface Place {
  id: string
  depth: number
  parent: string
  type: string
  truncated: boolean
}

/** Maximum places of a tree that is printed. */
const MAX_PLACES = 5_000

/** `bd dep tree`: a bead with what it depends on, or what depends on it, and so on. */
export async function tree(bd: BdContext, id: string, options: TreeOptions): Promise<void> {
  const way = options.direction ?? (options.reverse ? 'up' : 'down')
  const root: Place = { id: (await bd.get(id)).id, depth: 0, parent: '', type: '', truncated: false }
  const walk = (each: 'down' | 'up') => places(bd, root, each, options)
  const above = way === 'both' ? (await walk('up')).slice(1) : []
  const found = [...above, ...(await walk(way === 'both' ? 'down' : way))]
  const issues = new Map((await bd.issues([...new Set(found.map((place) => place.id))])).map((each) => [each.id, each]))
  const rows = found.flatMap((place) => {
    const issue = issues.get(place.id)
    return issue && (options.status === undefined || issue.status === options.status)
      ? [{ place, issue: toBare(issue) }]
      : []
  })
  if (options.format === 'mermaid') return printMermaid(bd, rows)
  if (bd.print.json || options.format === 'json') return bd.printer(true).value(rows.map(toNode))
  for (const { place } of rows) {
    const bead = await bd.find(place.id)
    if (bead) bd.print.bead(bead, '  '.repeat(place.depth))
  }
}

interface Row {
  place: Place
  issue: Issue
}

const toNode = ({ place, issue }: Row) => ({
  ...issue,
  depth: place.depth,
  parent_id: place.parent,
  ...(place.type && { edge_from_parent: place.type }),
  truncated: place.truncated,
})

/** The places below a root, each before those below it. A bead that occurs again is shown there only with all paths. */
async function places(bd: BdContext, root: Place, way: 'down' | 'up', options: TreeOptions): Promise<Place[]> {
  const maxDepth = options.depth ?? options.maxDepth
  const found: Place[] = []
  const seen = new Set<string>()
  const relations = new Map<string, readonly BeadRelation[]>()
  const visit = async (place: Place, path: ReadonlySet<string>): Promise<void> => {
    const isOver = path.has(place.id) || found.length >= MAX_PLACES
    if (isOver || (seen.has(place.id) && !options.showAllPaths)) return
    seen.add(place.id)
    found.push(place)
    if (!relations.has(place.id)) {
      const { depends_on, dependents } = await bd.dependencies(place.id)
      relations.set(place.id, way === 'down' ? depends_on : dependents)
    }
    const next = (relations.get(place.id) ?? []).filter(({ bead }) => bead !== undefined)
    if (place.depth >= maxDepth) {
      place.truncated = next.length > 0
      return
    }
    for (const { id, type } of next)
      await visit(
        { id, depth: place.depth + 1, parent: place.id, type, truncated: false },
        new Set([...path, place.id]),
      )
  }
  await visit({ ...root }, new Set())
  return found
}

function printMermaid({ print }: BdContext, rows: readonly Row[]): void {
  const label = (text: string) => text.replaceAll(/["<>[\]{}|\\\p{Cc}\p{Cf}]/gu, ' ')
  print.line('flowchart TD')
  for (const { issue } of rows) print.line(`  ${issue.id}["${issue.id}: ${label(issue.title)}"]`)
  for (const { place } of rows) if (place.parent) print.line(`  ${place.parent} --> ${place.id}`)
}

/** The groups of beads that wait for each other. */
export async function findCycles(bd: BdContext): Promise<Issue[][]> {
  const beads = await bd.list({ all: true, rig: await bd.rig() })
  const edges = new Map(
    beads.map(({ id, dependencies = [] }) => [
      id,
      dependencies.flatMap(({ type, depends_on_id: on }) => (GATING.has(type) ? [on] : [])),
    ]),
  )
  const cycles: string[][] = []
  const done = new Set<string>()
  const walk = (start: string): void => {
    const path: string[] = []
    const stack = [{ id: start, next: 0 }]
    while (stack.length > 0) {
      const top = stack.at(-1)
      if (!top) return
      if (top.next === 0) path.push(top.id)
      const target = edges.get(top.id)?.[top.next++]
      if (target === undefined) {
        done.add(top.id)
        path.pop()
        stack.pop()
      } else if (path.includes(target)) cycles.push(path.slice(path.indexOf(target)))
      else if (!done.has(target) && edges.has(target)) stack.push({ id: target, next: 0 })
    }
  }
  for (const id of edges.keys()) if (!done.has(id)) walk(id)
  return Promise.all(cycles.map(async (ids) => (await bd.issues(ids)).map(toBare)))
}
