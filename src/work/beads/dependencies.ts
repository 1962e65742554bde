import { AppError } from '../../core/errors.ts'
import { command, query, type Store, type Tx } from '../../core/store/index.ts'
import type { Dep } from '../schema.ts'
import { findCycle, shortestPath } from './cycles.ts'
import { isGating } from './readiness.ts'

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

const SELECT = 'SELECT issue_id, depends_on_id, type FROM bead_edges'

const RECORDS_OF = query<EdgeRecord, [string]>(
  `${RECORDS} IN (SELECT value FROM json_each(?)) ORDER BY issue_id, depends_on_id, type`,
)

const BETWEEN = query<Dep, [string, string]>(`${SELECT} WHERE issue_id = ? AND depends_on_id = ?`)

const OF = query<Dep, [string]>(`${SELECT} WHERE issue_id = ?`)

const ON = query<Dep, [string]>(`${SELECT} WHERE depends_on_id = ?`)

const GATES_OF = query<{ id: string }, [string]>(
  'SELECT depends_on_id AS id FROM bead_edges WHERE issue_id = ? AND gating = 1',
)

const GATES_ON = query<{ id: string }, [string]>(
  'SELECT issue_id AS id FROM bead_edges WHERE depends_on_id = ? AND gating = 1 LIMIT 1',
)

const INSERT = command<[string, string, string, number | null, string, string]>(
  `INSERT OR IGNORE INTO bead_edges (issue_id, depends_on_id, type, created_at, created_by, fields)
   VALUES (?, ?, ?, ?, ?, ?)`,
)

const DELETE = command<[string, string, string]>(
  'DELETE FROM bead_edges WHERE issue_id = ? AND depends_on_id = ? AND type = ?',
)

/** The edges between beads and the rules they keep. */
export class Dependencies {
  constructor(private readonly store: Store) {}

  /** Dependencies of a bead. */
  listOf(id: string): Dep[] {
    return this.store.all(OF, id)
  }

  /** Dependencies of each of these beads, with their records. */
  recordsOf(ids: readonly string[]): EdgeRecord[] {
    return this.store.all(RECORDS_OF, JSON.stringify(ids))
  }

  /** Dependents of a bead. */
  listOn(id: string): Dep[] {
    return this.store.all(ON, id)
  }

  /**
   * Makes `issue` depend on `target`. Adding an edge twice changes nothing; another type replaces the present one,
   * except that `parent-child` stands beside one other. Throws when the beads would wait for each other.
   */
  add(tx: Tx, issue: string, target: string, type: string, facts = NO_FACTS): void {
    this.#checkCycle(issue, target, type)
    for (const edge of this.store.all(BETWEEN, issue, target)) {
      if (!mayStay(edge.type, type)) tx.run(DELETE, issue, target, edge.type)
    }
    tx.run(INSERT, issue, target, type, facts.created_at, facts.created_by, facts.fields)
  }

  /** Makes a new bead depend on others, where no cycle can come of it. */
  addNew(tx: Tx, issue: string, target: string, type: string): void {
    tx.run(INSERT, issue, target, type, null, '', '')
  }

  /** Removes the edge, or without a type every edge between the two; an edge that is missing is not an error. */
  remove(tx: Tx, issue: string, target: string, type?: string): void {
    for (const edge of this.store.all(BETWEEN, issue, target)) {
      if (type === undefined || edge.type === type) tx.run(DELETE, issue, target, edge.type)
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
    if (!isGating(type) || !this.store.get(GATES_ON, issue)) return
    const path = shortestPath(target, issue, (from) => this.store.all(GATES_OF, from).map((edge) => edge.id))
    if (path) throw cycleError([issue, ...path])
  }
}
