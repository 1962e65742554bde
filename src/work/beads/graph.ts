import type { Bead } from '../schema.ts'
import type { WorkflowDepResponse } from './schema.ts'

/** The edges among some beads, collected from one bead after the other. */
export class EdgesAmong {
  readonly #ids: ReadonlySet<string>
  readonly #edges = new Map<string, WorkflowDepResponse>()

  constructor(ids: readonly string[]) {
    this.#ids = new Set(ids)
  }

  add(bead: Bead): void {
    for (const edge of bead.dependencies ?? []) this.#add(edge.depends_on_id, edge.issue_id, edge.type)
    if (bead.parent) this.#add(bead.parent, bead.id, 'parent-child')
  }

  list(): WorkflowDepResponse[] {
    return [...this.#edges.values()]
  }

  #add(from: string, to: string, kind: string): void {
    if (this.#ids.has(from)) this.#edges.set(JSON.stringify([from, to, kind]), { from, to, kind })
  }
}
