import type { Statement } from 'bun:sqlite'
import { toTimestamp } from '../../core/clock.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { type Boundary, cursorAfter, parseBoundaryCursor } from '../../http/cursor.ts'
import { RenderedJson } from '../../http/rendered.ts'
import { pageSize } from '../../http/schema.ts'
import { WorkflowKey } from '../metadata.ts'
import type { BeadVersion } from './json-cache.ts'
import {
  closedCountQuery,
  countQuery,
  horizonQueries,
  type LeadingTerm,
  type ListFilter,
  leadingTerms,
  pageQuery,
  type Query,
  scansClosed,
} from './list-query.ts'
import type { BeadReader } from './reader.ts'
import { type BeadRow, ROW_COLUMNS } from './row.ts'
import type {
  Bead,
  BeadDepsResponse,
  BeadFilter,
  BeadGraphResponse,
  ListBodyBead,
  WorkflowDepResponse,
} from './schema.ts'

/** A bead's position in a list. */
interface ListPosition extends BeadVersion {
  id: string
  created_at: number
}

/** How many closed beads one page examines for those that match. */
const MAX_SCANNED = 2000

const boundaryAt = ({ id, created_at }: ListPosition): Boundary => ({ createdAt: toTimestamp(created_at), id })

/** Reads lists and graphs of beads. */
export class BeadLists {
  readonly #statements = new Map<string, Statement<unknown, (string | number)[]>>()
  readonly #ready: Statement<BeadVersion, [number]>
  readonly #children: Statement<BeadRow, [string]>
  readonly #members: Statement<BeadRow, [string, number]>

  constructor(
    private readonly store: Store,
    private readonly reader: BeadReader,
  ) {
    this.#ready = store.prepare(
      `SELECT n, revision FROM beads
       WHERE ready = 1 AND (defer_until IS NULL OR defer_until <= ?) ORDER BY coalesce(priority, 2), created_at, id`,
    )
    this.#children = store.prepare(
      stablePlan(`SELECT ${ROW_COLUMNS} FROM beads WHERE parent = ? AND closed = 0 ORDER BY created_at, id`),
    )
    this.#members = store.prepare(
      stablePlan(`WITH RECURSIVE member(id) AS (
         SELECT ?1
         UNION SELECT id FROM beads WHERE root_id = ?1
         UNION SELECT depends_on_id FROM bead_edges WHERE issue_id = ?1 AND type = 'tracks' AND ?2
         UNION SELECT child.id FROM member CROSS JOIN beads child ON child.parent = member.id
       )
       SELECT ${ROW_COLUMNS} FROM beads WHERE id IN (SELECT id FROM member) ORDER BY created_at, id`),
    )
  }

  /** One page, newest first. It may be short and still not be the last: then it has a cursor. */
  list(query: BeadFilter, assignees: readonly string[] | undefined): RenderedJson<ListBodyBead> {
    const filter = toListFilter(query, assignees)
    const boundary = parseBoundaryCursor(query.cursor)
    const limit = pageSize(query.limit)
    const lead = this.#chooseLead(filter)
    const until = lead && scansClosed(filter) ? this.#horizon(filter, lead, boundary) : undefined
    const rows = this.#run<ListPosition>(pageQuery(filter, lead, { after: boundary, until }, limit + 1))
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const next = rows.length > limit && last ? boundaryAt(last) : until
    return this.#render(page, this.#count(countQuery(filter)), next && cursorAfter(next))
  }

  /** The term by which closed beads are found: of several, the one that the fewest of them match. */
  #chooseLead(filter: ListFilter): LeadingTerm | undefined {
    const leads = leadingTerms(filter)
    if (!scansClosed(filter)) return leads[0]
    const counts = leads.map((lead) => ({ lead, n: this.#count(closedCountQuery(filter, lead)) }))
    return counts.reduce((fewest, each) => (each.n < fewest.n ? each : fewest)).lead
  }

  /** How far a page looks where closed beads are scanned, so that history does not make a list slow. */
  #horizon(filter: ListFilter, lead: LeadingTerm, after: Boundary | undefined): Boundary | undefined {
    const positions = horizonQueries(filter, lead, after, MAX_SCANNED).flatMap((query) =>
      this.#run<ListPosition>(query),
    )
    const nearest = positions.sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1))[0]
    return nearest && boundaryAt(nearest)
  }

  #count(query: Query): number {
    return this.#run<{ n: number | null }>(query).reduce((sum, { n }) => sum + (n ?? 0), 0)
  }

  /** What can be worked on at `now`: most urgent first, then oldest. */
  ready(now: number): RenderedJson<ListBodyBead> {
    const versions = this.#ready.all(now)
    return this.#render(versions, versions.length)
  }

  /** The open children of a bead, then the molecule and workflow it names. */
  children(bead: Bead): BeadDepsResponse {
    const children = this.reader.beads(this.#children.all(bead.id))
    const named = [WorkflowKey.olderMoleculeId, WorkflowKey.olderWorkflowId]
      .map((key) => bead.metadata?.[key])
      .filter((id) => id !== undefined)
    const listed = new Set(children.map((child) => child.id))
    return { children: [...children, ...this.reader.list(named.filter((id) => !listed.has(id)))] }
  }

  /** A root with all beads that belong to it, and the edges among them. */
  graph(root: Bead): BeadGraphResponse {
    const isConvoy = root.issue_type === 'convoy'
    const members = this.reader.beads(this.#members.all(root.id, isConvoy ? 1 : 0))
    const beads = [root, ...members.filter((bead) => bead.id !== root.id)]
    const membership = isConvoy ? 'direct-root-id+parent-closure+convoy-members' : 'direct-root-id+parent-closure'
    return { root, beads, deps: edgesAmong(beads), membership }
  }

  #render(page: readonly BeadVersion[], total: number, cursor?: string): RenderedJson<ListBodyBead> {
    const next = cursor === undefined ? '' : `,"next_cursor":${JSON.stringify(cursor)}`
    return new RenderedJson(`{"items":[${this.reader.jsonList(page).join(',')}],"total":${total}${next}}`)
  }

  #run<Row>({ sql, values }: Query): Row[] {
    const cached = this.#statements.get(sql)
    const statement = cached ?? this.store.prepare<unknown, (string | number)[]>(stablePlan(sql))
    if (!cached) this.#statements.set(sql, statement)
    return statement.all(...values) as Row[]
  }
}

function toListFilter(query: BeadFilter, assignees: readonly string[] | undefined): ListFilter {
  return {
    status: query.status || undefined,
    closed: query.status ? undefined : query.all ? undefined : false,
    type: query.type || undefined,
    label: query.label || undefined,
    rig: query.rig,
    assignees,
  }
}

function edgesAmong(beads: readonly Bead[]): WorkflowDepResponse[] {
  const ids = new Set(beads.map((bead) => bead.id))
  const edges = new Map<string, WorkflowDepResponse>()
  const add = (from: string, to: string, kind: string) => {
    if (ids.has(from)) edges.set(JSON.stringify([from, to, kind]), { from, to, kind })
  }
  for (const bead of beads) {
    for (const edge of bead.dependencies ?? []) add(edge.depends_on_id, edge.issue_id, edge.type)
    if (bead.parent) add(bead.parent, bead.id, 'parent-child')
  }
  return [...edges.values()]
}
