import type { Statement } from 'bun:sqlite'
import { AppError } from '../../core/errors.ts'
import type { Store } from '../../core/store.ts'
import { findCycle, wayTo } from './cycles.ts'
import { isGate } from './readiness.ts'
import type { Dep } from './schema.ts'

/** What a bead needs as it is told of: `type:target`, or just the target, which then blocks. */
export function edgeOf(need: string): { type: string; target: string } {
  const [, type = 'blocks', target = need] = /^([^:]+):(.+)$/.exec(need) ?? []
  return { type, target }
}

/** The edges between beads and the rules they keep. */
export class Dependencies {
  readonly #insert: Statement<unknown, [string, string, string]>
  readonly #delete: Statement<unknown, [string, string, string]>
  readonly #between: Statement<Dep, [string, string]>
  readonly #of: Statement<Dep, [string]>
  readonly #on: Statement<Dep, [string]>
  readonly #gatesOf: Statement<{ id: string }, [string]>
  readonly #gatesOn: Statement<{ id: string }, [string]>

  constructor(store: Store) {
    const all = 'SELECT issue_id, depends_on_id, type FROM bead_edges'
    this.#insert = store.prepare('INSERT OR IGNORE INTO bead_edges (issue_id, depends_on_id, type) VALUES (?, ?, ?)')
    this.#delete = store.prepare('DELETE FROM bead_edges WHERE issue_id = ? AND depends_on_id = ? AND type = ?')
    this.#between = store.prepare(`${all} WHERE issue_id = ? AND depends_on_id = ?`)
    this.#of = store.prepare(`${all} WHERE issue_id = ?`)
    this.#on = store.prepare(`${all} WHERE depends_on_id = ?`)
    this.#gatesOf = store.prepare('SELECT depends_on_id AS id FROM bead_edges WHERE issue_id = ? AND gating = 1')
    this.#gatesOn = store.prepare(
      'SELECT issue_id AS id FROM bead_edges WHERE depends_on_id = ? AND gating = 1 LIMIT 1',
    )
  }

  /** What a bead depends on. */
  of(id: string): Dep[] {
    return this.#of.all(id)
  }

  /** What depends on a bead. */
  on(id: string): Dep[] {
    return this.#on.all(id)
  }

  /**
   * Makes `issue` depend on `target`. The same edge twice is one; another type replaces the one there is, except that
   * `parent-child` stands beside one other. Refuses what could never become ready.
   */
  add(issue: string, target: string, type: string): void {
    this.#refuseLoop(issue, target, type)
    for (const edge of this.#between.all(issue, target)) {
      const beside = type === 'parent-child' || edge.type === 'parent-child'
      if (edge.type !== type && !beside) this.#delete.run(issue, target, edge.type)
    }
    this.#insert.run(issue, target, type)
  }

  /** Takes the edge away, or with no type every edge between the two; that there is none is no fault. */
  remove(issue: string, target: string, type?: string): void {
    for (const edge of this.#between.all(issue, target)) {
      if (type === undefined || edge.type === type) this.#delete.run(issue, target, edge.type)
    }
  }

  /** Beads that wait for each other, if this one leads to some: by gates, `parent-child` and untyped edges. */
  cycle(id: string): string[] | undefined {
    const leads = (type: string) => isGate(type) || type === 'parent-child' || type === ''
    return findCycle(id, (at) => this.of(at).flatMap((edge) => (leads(edge.type) ? [edge.depends_on_id] : [])))
  }

  #refuseLoop(issue: string, target: string, type: string): void {
    if (issue === target) throw new AppError('invalid-request', `bead ${issue} cannot depend on itself`)
    if (!isGate(type) || !this.#gatesOn.get(issue)) return
    const way = wayTo(target, issue, (at) => this.#gatesOf.all(at).map((edge) => edge.id))
    if (!way) return
    const cycle = [issue, ...way].join(' → ')
    throw new AppError(
      'invalid-request',
      `bead ${issue} cannot wait for ${target}: they would wait for each other, ${cycle}`,
    )
  }
}
