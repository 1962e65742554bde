import type { Statement } from 'bun:sqlite'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import type { Projection } from './draft.ts'
import { isGate } from './readiness.ts'
import { type Rendering, Renderings, type State } from './renderings.ts'
import type { Bead, Dep } from './schema.ts'

/** A bead as it is stored. */
export interface BeadRow {
  /** Its number in this city: the later it was put on record here, the higher. */
  n: number
  id: string
  rig: string
  title: string
  status: string
  type: string
  priority: number | null
  assignee: string
  sender: string
  parent: string | null
  ref: string
  description: string
  labels: string
  metadata: string
  ephemeral: number
  no_history: number
  defer_until: number | null
  created_at: number
  updated_at: number
  blockers: number
  edges: number
  /** Another for every state of the row. */
  revision: number
}

export const COLUMNS = `n, id, rig, title, status, type, priority, assignee, sender, parent, ref, description, labels, metadata,
  ephemeral, no_history, defer_until, created_at, updated_at, blockers, edges, revision`

/** Turns rows into beads: labels, dependencies and what side tables project, fetched for all of them at once. */
export class BeadReader {
  readonly #projections = new Map<string, Projection>()
  readonly #renderings = new Renderings((numbers) => this.#render(numbers))
  readonly #one: Statement<BeadRow, [string]>
  readonly #some: Statement<BeadRow, [string]>
  readonly #state: Statement<State, [string]>
  readonly #numbered: Statement<BeadRow, [string]>
  readonly #edges: Statement<Dep, [string]>
  readonly #edgesOf: Statement<Dep, [string]>

  constructor(store: Store) {
    this.#one = store.prepare(`SELECT ${COLUMNS} FROM beads WHERE id = ?`)
    this.#some = store.prepare(
      `SELECT ${COLUMNS} FROM beads WHERE id IN (SELECT value FROM json_each(?)) ORDER BY created_at, id`,
    )
    this.#state = store.prepare('SELECT n, revision FROM beads WHERE id = ?')
    this.#numbered = store.prepare(`SELECT ${COLUMNS} FROM beads WHERE n IN (SELECT value FROM json_each(?))`)
    const edges = 'SELECT issue_id, depends_on_id, type FROM bead_edges WHERE issue_id'
    this.#edges = store.prepare(stablePlan(`${edges} = ?`))
    this.#edgesOf = store.prepare(`${edges} IN (SELECT value FROM json_each(?))`)
  }

  projects(type: string, projection: Projection): void {
    this.#projections.set(type, projection)
  }

  row(id: string): BeadRow | undefined {
    return this.#one.get(id) ?? undefined
  }

  /** The row of a bead that has to exist. */
  need(id: string): BeadRow {
    const row = this.row(id)
    if (!row) throw missing(id)
    return row
  }

  find(id: string): Bead | undefined {
    const row = this.row(id)
    return row && this.bead(row)
  }

  get(id: string): Bead {
    return this.bead(this.need(id))
  }

  /** Those of `ids` that exist, oldest first. */
  some(ids: readonly string[]): Bead[] {
    return ids.length === 0 ? [] : this.beads(this.#some.all(JSON.stringify(ids)))
  }

  bead(row: BeadRow): Bead {
    const edges = row.edges === 0 ? undefined : this.#edges.all(row.id)
    return toBead(row, edges, this.#projections.get(row.type)?.([row.id]).get(row.id))
  }

  beads(rows: BeadRow[]): Bead[] {
    const edges = this.#edgesByIssue(rows)
    const projected = this.#projected(rows)
    return rows.map((row) => toBead(row, edges?.get(row.id), projected?.get(row.id)))
  }

  /** A bead that has to exist, as JSON. */
  text(id: string): string {
    const state = this.#state.get(id)
    if (!state) throw missing(id)
    return this.#renderings.text(state, () => {
      const row = this.need(id)
      return this.#rendering(row, this.bead(row))
    })
  }

  /** Beads as JSON, in this order. */
  texts(states: readonly State[]): string[] {
    return this.#renderings.texts(states)
  }

  #render(numbers: number[]): Rendering[] {
    const rows = this.#numbered.all(JSON.stringify(numbers))
    const beads = this.beads(rows)
    return rows.flatMap((row, at) => {
      const bead = beads[at]
      return bead ? this.#rendering(row, bead) : []
    })
  }

  #rendering({ n, revision, type }: BeadRow, bead: Bead): Rendering {
    return { n, revision, text: JSON.stringify(bead), lasting: !this.#projections.has(type) }
  }

  #edgesByIssue(rows: BeadRow[]): Map<string, Dep[]> | undefined {
    const ids = rows.filter((row) => row.edges > 0).map((row) => row.id)
    if (ids.length === 0) return undefined
    return Map.groupBy(this.#edgesOf.all(JSON.stringify(ids)), (edge) => edge.issue_id)
  }

  #projected(rows: BeadRow[]): Map<string, Record<string, string>> | undefined {
    let projected: Map<string, Record<string, string>> | undefined
    for (const [type, projection] of this.#projections) {
      const ids = rows.filter((row) => row.type === type).map((row) => row.id)
      if (ids.length === 0) continue
      const some = projection(ids)
      projected = projected ? new Map([...projected, ...some]) : some
    }
    return projected
  }
}

const missing = (id: string): AppError => new AppError('bead-not-found', `bead ${id} does not exist`)

/** The wire's bead. Keys stand in one order, so that two snapshots can be compared as text. */
function toBead(row: BeadRow, dependencies: Dep[] | undefined, projected: Record<string, string> | undefined): Bead {
  const created = toTimestamp(row.created_at)
  const bead: Bead = {
    id: row.id,
    title: row.title,
    status: row.status,
    issue_type: row.type,
    created_at: created,
    updated_at: row.updated_at === row.created_at ? created : toTimestamp(row.updated_at),
  }
  if (row.priority !== null) bead.priority = row.priority
  if (row.assignee !== '') bead.assignee = row.assignee
  if (row.sender !== '') bead.from = row.sender
  if (row.parent !== null) bead.parent = row.parent
  if (row.ref !== '') bead.ref = row.ref
  if (row.description !== '') bead.description = row.description
  if (row.labels !== '[]') bead.labels = JSON.parse(row.labels)
  if (row.metadata !== '{}') bead.metadata = JSON.parse(row.metadata)
  if (projected) bead.metadata = { ...bead.metadata, ...projected }
  if (dependencies) bead.dependencies = dependencies
  if (row.ephemeral === 1) bead.ephemeral = true
  if (row.no_history === 1) bead.no_history = true
  if (row.defer_until !== null) bead.defer_until = toTimestamp(row.defer_until)
  if (row.blockers > 0) bead.is_blocked = true
  if (row.blockers === 0 && dependencies?.some((edge) => isGate(edge.type))) bead.is_blocked = false
  return bead
}
