import type { Database, Statement } from 'bun:sqlite'
import { stablePlan } from '../../../core/store/index.ts'
import { compareText } from '../../../core/text/index.ts'
import type { Dep } from '../../beads/index.ts'
import { cycleError, edgeKey, findAnyCycle, isGating, NO_FACTS, withEdge } from '../../beads/index.ts'
import type { ImportedLine } from '../lines/line.ts'
import { RowBatch } from './row-batch.ts'

type EdgeRow = [
  ...[issue: string, target: string, type: string],
  ...[createdAt: number | null, createdBy: string, fields: string],
]

interface Dangling {
  issue: string
  target: string
  closed: number
}

const byPlace = (a: Dep, b: Dep): number => compareText(a.depends_on_id, b.depends_on_id) || compareText(a.type, b.type)

/** The dependencies of new beads: how many they wait for is determined without reading each again. */
export class ImportedEdges {
  readonly #db: Database
  readonly #closedOf: Statement<{ closed: number }, [string]>
  readonly #rows: EdgeRow[] = []
  /** True if each new bead is closed. */
  readonly #isClosed = new Map<string, boolean>()
  /** New beads by the bead, unknown when they came, that they wait for. */
  readonly #waiting = new Map<string, string[]>()
  /** New beads of which one that they wait for turned out to be closed. */
  readonly #released: string[] = []

  constructor(db: Database) {
    this.#db = db
    this.#closedOf = db.prepare('SELECT closed FROM beads WHERE id = ?')
  }

  /** Adds the dependencies of a new bead; returns them as they are in the end, in the order in which they are read. */
  add({ values, dependencies: named, facts }: ImportedLine): { edges: Dep[]; blockers: number } {
    const { id, status } = values
    const isClosed = status === 'closed'
    const edges = named.length === 0 ? [] : named.reduce(withEdge, []).sort(byPlace)
    const awaited = new Set<string>()
    for (const { depends_on_id: target, type } of edges) {
      const { created_at, created_by, fields } = facts?.get(edgeKey({ depends_on_id: target, type })) ?? NO_FACTS
      this.#rows.push([id, target, type, created_at, created_by, fields])
      if (isGating(type)) awaited.add(target)
    }
    const blockers = [...awaited].filter((target) => this.#isOpen(target, id)).length
    this.#isClosed.set(id, isClosed)
    const released = isClosed ? this.#waiting.get(id) : undefined
    if (released) this.#released.push(...released)
    return { edges, blockers }
  }

  /** Writes the dependencies of all beads with numbers from `first` to `last`, and unblocks what waited for those. */
  write(first: number, last: number): void {
    const dangling = this.#dangling(first, last)
    this.#checkCycles(dangling)
    new RowBatch<EdgeRow>(this.#db, {
      into: 'bead_edges',
      columns: ['issue_id', 'depends_on_id', 'type', 'created_at', 'created_by', 'fields'],
    }).insert(this.#rows)
    const unblock = this.#db.prepare('UPDATE beads SET blockers = blockers - 1, revision = revision + 1 WHERE id = ?')
    for (const { issue, closed } of dangling) if (closed) unblock.run(issue)
    for (const id of this.#released) unblock.run(id)
  }

  #isOpen(target: string, id: string): boolean {
    const isNewClosed = this.#isClosed.get(target)
    if (isNewClosed !== undefined) return !isNewClosed
    const existing = this.#closedOf.get(target)
    if (existing) return existing.closed === 0
    const waiting = this.#waiting.get(target)
    if (waiting) waiting.push(id)
    else this.#waiting.set(target, [id])
    return true
  }

  /** Beads of before that wait for new ones. */
  #dangling(first: number, last: number): Dangling[] {
    return this.#db
      .prepare<Dangling, [number, number]>(
        stablePlan(`SELECT DISTINCT e.issue_id AS issue, e.depends_on_id AS target, b.closed
         FROM beads b CROSS JOIN bead_edges e ON e.depends_on_id = b.id
         WHERE b.n BETWEEN ? AND ? AND e.gating = 1`),
      )
      .all(first, last)
  }

  /** A cycle has a new bead in it; beads of before lead to one only over an edge that was there first. */
  #checkCycles(dangling: readonly Dangling[]): void {
    const gates = Map.groupBy(
      this.#rows.filter(([, , type]) => isGating(type)),
      ([issue]) => issue,
    )
    const existing = this.#db.prepare<{ id: string }, [string]>(
      'SELECT depends_on_id AS id FROM bead_edges WHERE issue_id = ? AND gating = 1',
    )
    const next = (id: string): string[] => {
      const own = gates.get(id)
      if (own) return own.map(([, target]) => target)
      return dangling.length === 0 ? [] : existing.all(id).map((edge) => edge.id)
    }
    const cycle = findAnyCycle(gates.keys(), next)
    if (cycle) throw cycleError(cycle)
  }
}
