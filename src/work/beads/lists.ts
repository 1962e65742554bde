import type { Statement } from 'bun:sqlite'
import { toTimestamp } from '../../core/clock.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { type Boundary, boundaryOf, cursorAfter } from '../../http/cursor.ts'
import { RenderedJson } from '../../http/rendered.ts'
import { pageSize } from '../../http/schema.ts'
import { WorkflowKey } from '../metadata.ts'
import { type BeadReader, type BeadRow, COLUMNS } from './reader.ts'
import type { State } from './renderings.ts'
import type {
  Bead,
  BeadDepsResponse,
  BeadFilter,
  BeadGraphResponse,
  ListBodyBead,
  WorkflowDepResponse,
} from './schema.ts'
import {
  closedQuery,
  countQuery,
  type Filter,
  horizonQueries,
  type Lead,
  leads,
  pageQuery,
  type Query,
  sifts,
} from './search.ts'

/** A bead's place in a list. */
interface Place extends State {
  id: string
  created_at: number
}

/** How many closed beads one page looks at for those that match. */
const LOOK = 2000

const boundaryAt = ({ id, created_at }: Place): Boundary => ({ createdAt: toTimestamp(created_at), id })

/** Everything that reads more than one bead. */
export class BeadLists {
  readonly #statements = new Map<string, Statement<unknown, (string | number)[]>>()
  readonly #ready: Statement<State, [number]>
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
      stablePlan(`SELECT ${COLUMNS} FROM beads WHERE parent = ? AND closed = 0 ORDER BY created_at, id`),
    )
    this.#members = store.prepare(
      stablePlan(`WITH RECURSIVE member(id) AS (
         SELECT ?1
         UNION SELECT id FROM beads WHERE root_id = ?1
         UNION SELECT depends_on_id FROM bead_edges WHERE issue_id = ?1 AND type = 'tracks' AND ?2
         UNION SELECT child.id FROM member CROSS JOIN beads child ON child.parent = member.id
       )
       SELECT ${COLUMNS} FROM beads WHERE id IN (SELECT id FROM member) ORDER BY created_at, id`),
    )
  }

  /** One page, newest first. It may be short and still not be the last: then it has a cursor. */
  list(query: BeadFilter, assignees: readonly string[] | undefined): RenderedJson<ListBodyBead> {
    const filter = toFilter(query, assignees)
    const boundary = boundaryOf(query.cursor)
    const limit = pageSize(query.limit)
    const lead = this.#lead(filter)
    const until = lead && sifts(filter) ? this.#horizon(filter, lead, boundary) : undefined
    const rows = this.#run<Place>(pageQuery(filter, lead, { after: boundary, until }, limit + 1))
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const next = rows.length > limit && last ? boundaryAt(last) : until
    return this.#page(shown, this.#count(countQuery(filter)), next && cursorAfter(next))
  }

  /** What closed beads are found by: of several terms, the one with the fewest of them. */
  #lead(filter: Filter): Lead | undefined {
    const all = leads(filter)
    if (!sifts(filter)) return all[0]
    const counts = all.map((lead) => ({ lead, n: this.#count(closedQuery(filter, lead)) }))
    return counts.reduce((least, one) => (one.n < least.n ? one : least)).lead
  }

  /** How far a page looks, where closed beads are sifted: what is over does not make a list slow. */
  #horizon(filter: Filter, lead: Lead, after: Boundary | undefined): Boundary | undefined {
    const places = horizonQueries(filter, lead, after, LOOK).flatMap((query) => this.#run<Place>(query))
    const nearest = places.sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1))[0]
    return nearest && boundaryAt(nearest)
  }

  #count(query: Query): number {
    return this.#run<{ n: number | null }>(query).reduce((sum, { n }) => sum + (n ?? 0), 0)
  }

  /** What can be worked on at `now`: most urgent first, then oldest. */
  ready(now: number): RenderedJson<ListBodyBead> {
    const states = this.#ready.all(now)
    return this.#page(states, states.length)
  }

  /** What is open below a bead, then the molecule and workflow it names. */
  children(bead: Bead): BeadDepsResponse {
    const children = this.reader.beads(this.#children.all(bead.id))
    const named = [WorkflowKey.olderMoleculeId, WorkflowKey.olderWorkflowId]
      .map((key) => bead.metadata?.[key])
      .filter((id) => id !== undefined)
    const listed = new Set(children.map((child) => child.id))
    return { children: [...children, ...this.reader.some(named.filter((id) => !listed.has(id)))] }
  }

  /** A root with all that belongs to it, and the arrows among them. */
  graph(root: Bead): BeadGraphResponse {
    const convoy = root.issue_type === 'convoy'
    const members = this.reader.beads(this.#members.all(root.id, convoy ? 1 : 0))
    const beads = [root, ...members.filter((bead) => bead.id !== root.id)]
    const membership = convoy ? 'direct-root-id+parent-closure+convoy-members' : 'direct-root-id+parent-closure'
    return { root, beads, deps: arrows(beads), membership }
  }

  #page(shown: readonly State[], total: number, cursor?: string): RenderedJson<ListBodyBead> {
    const next = cursor === undefined ? '' : `,"next_cursor":${JSON.stringify(cursor)}`
    return new RenderedJson(`{"items":[${this.reader.texts(shown).join(',')}],"total":${total}${next}}`)
  }

  #run<Row>({ sql, values }: Query): Row[] {
    const known = this.#statements.get(sql)
    const statement = known ?? this.store.prepare<unknown, (string | number)[]>(stablePlan(sql))
    if (!known) this.#statements.set(sql, statement)
    return statement.all(...values) as Row[]
  }
}

function toFilter(query: BeadFilter, assignees: readonly string[] | undefined): Filter {
  return {
    status: query.status || undefined,
    closed: query.status ? undefined : query.all ? undefined : false,
    type: query.type || undefined,
    label: query.label || undefined,
    rig: query.rig,
    assignees,
  }
}

function arrows(beads: readonly Bead[]): WorkflowDepResponse[] {
  const inside = new Set(beads.map((bead) => bead.id))
  const found = new Map<string, WorkflowDepResponse>()
  const add = (from: string, to: string, kind: string) => {
    if (inside.has(from)) found.set(JSON.stringify([from, to, kind]), { from, to, kind })
  }
  for (const bead of beads) {
    for (const edge of bead.dependencies ?? []) add(edge.depends_on_id, edge.issue_id, edge.type)
    if (bead.parent) add(bead.parent, bead.id, 'parent-child')
  }
  return [...found.values()]
}
