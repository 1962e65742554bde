import { AppError } from '../../core/errors.ts'
import type { Statement, Store } from '../../core/store/index.ts'
import { findCycle, shortestPath } from './cycles.ts'
import { isGating } from './readiness.ts'
import type { Dep } from './schema.ts'

/** Reads a need: `type:target`, or only the target, which then blocks. */
export function parseNeed(need: string): { type: string; target: string } {
  const [, type = 'blocks', target = need] = /^([^:]+):(.+)$/.exec(need) ?? []
  return { type, target }
}

export const selfDependencyError = (id: string): AppError =>
  new AppError('invalid-request', `bead ${id} cannot depend on itself`)

/** Rejects an edge that closes a cycle, which begins and ends with its bead. */
export function cycleError(cycle: readonly string[]): AppError {
  const [issue, target] = cycle
  const path = cycle.join(' → ')
  return new AppError(
    'invalid-request',
    `bead ${issue} cannot wait for ${target}: they would wait for each other, ${path}`,
  )
}

/** True if an edge stays when one of another type is added between the same beads: only beside `parent-child`. */
const mayStay = (present: string, added: string): boolean =>
  present === added || present === 'parent-child' || added === 'parent-child'

/** The edges of a bead with one more, which replaces one of another type. */
export function withEdge(edges: readonly Dep[], added: Dep): Dep[] {
  const { depends_on_id: target, type } = added
  const kept = edges.filter((edge) => edge.depends_on_id !== target || mayStay(edge.type, type))
  const isPresent = kept.some((edge) => edge.depends_on_id === target && edge.type === type)
  return isPresent ? kept : [...kept, added]
}

/** Facts that `bd` stores about a dependency besides its ends and type. */
export interface EdgeFacts {
  /** null: with its bead. */
  readonly created_at: number | null
  readonly created_by: string
  /** Its other fields as a JSON object; '' for none. */
  readonly fields: string
}

export type EdgeRecord = Dep & EdgeFacts

export const NO_FACTS: EdgeFacts = { created_at: null, created_by: '', fields: '' }

/** One text for each edge of a bead: its target and its type. */
export const edgeKey = ({ depends_on_id, type }: Pick<Dep, 'depends_on_id' | 'type'>): string =>
  JSON.stringify([depends_on_id, type])

/** A SELECT of edges with what is recorded of them, by their bead. */
export const RECORDS =
  'SELECT issue_id, depends_on_id, type, created_at, created_by, fields FROM bead_edges WHERE issue_id'

/** The edges between beads and the rules they keep. */
export class Dependencies {
  readonly #insert: Statement<unknown, [string, string, string, number | null, string, string]>
  readonly #records: Statement<EdgeRecord, [string]>
  readonly #delete: Statement<unknown, [string, string, string]>
  readonly #between: Statement<Dep, [string, string]>
  readonly #of: Statement<Dep, [string]>
  readonly #on: Statement<Dep, [string]>
  readonly #gatesOf: Statement<{ id: string }, [string]>
  readonly #gatesOn: Statement<{ id: string }, [string]>

  constructor(store: Store) {
    const select = 'SELECT issue_id, depends_on_id, type FROM bead_edges'
    this.#insert = store.prepare(
      `INSERT OR IGNORE INTO bead_edges (issue_id, depends_on_id, type, created_at, created_by, fields)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    this.#records = store.prepare(
      `${RECORDS} IN (SELECT value FROM json_each(?)) ORDER BY issue_id, depends_on_id, type`,
    )
    this.#delete = store.prepare('DELETE FROM bead_edges WHERE issue_id = ? AND depends_on_id = ? AND type = ?')
    this.#between = store.prepare(`${select} WHERE issue_id = ? AND depends_on_id = ?`)
    this.#of = store.prepare(`${select} WHERE issue_id = ?`)
    this.#on = store.prepare(`${select} WHERE depends_on_id = ?`)
    this.#gatesOf = store.prepare('SELECT depends_on_id AS id FROM bead_edges WHERE issue_id = ? AND gating = 1')
    this.#gatesOn = store.prepare(
      'SELECT issue_id AS id FROM bead_edges WHERE depends_on_id = ? AND gating = 1 LIMIT 1',
    )
  }

  /** Dependencies of a bead. */
  listOf(id: string): Dep[] {
    return this.#of.all(id)
  }

  /** Dependencies of each of these beads, with their records. */
  recordsOf(ids: readonly string[]): EdgeRecord[] {
    return this.#records.all(JSON.stringify(ids))
  }

  /** Dependents of a bead. */
  listOn(id: string): Dep[] {
    return this.#on.all(id)
  }

  /**
   * Makes `issue` depend on `target`. Adding an edge twice changes nothing; another type replaces the present one,
   * except that `parent-child` stands beside one other. Throws when the beads would wait for each other.
   */
  add(issue: string, target: string, type: string, facts = NO_FACTS): void {
    this.#checkCycle(issue, target, type)
    for (const edge of this.#between.all(issue, target)) {
      if (!mayStay(edge.type, type)) this.#delete.run(issue, target, edge.type)
    }
    this.#insert.run(issue, target, type, facts.created_at, facts.created_by, facts.fields)
  }

  /** Makes a new bead depend on others, where no cycle can come of it. */
  addNew(issue: string, target: string, type: string): void {
    this.#insert.run(issue, target, type, null, '', '')
  }

  /** Removes the edge, or without a type every edge between the two; an edge that is missing is no error. */
  remove(issue: string, target: string, type?: string): void {
    for (const edge of this.#between.all(issue, target)) {
      if (type === undefined || edge.type === type) this.#delete.run(issue, target, edge.type)
    }
  }

  /** A cycle that a bead leads to, by gating, `parent-child` and untyped edges. */
  findCycle(id: string): string[] | undefined {
    const isFollowed = (type: string) => isGating(type) || type === 'parent-child' || type === ''
    return findCycle(id, (from) =>
      this.listOf(from).flatMap((edge) => (isFollowed(edge.type) ? [edge.depends_on_id] : [])),
    )
  }

  #checkCycle(issue: string, target: string, type: string): void {
    if (issue === target) throw selfDependencyError(issue)
    if (!isGating(type) || !this.#gatesOn.get(issue)) return
    const path = shortestPath(target, issue, (from) => this.#gatesOf.all(from).map((edge) => edge.id))
    if (path) throw cycleError([issue, ...path])
  }
}
