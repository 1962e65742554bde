import { toTimestamp } from '../../core/clock.ts'
import { query, type Query as SqlQuery, type Store, stablePlan } from '../../core/store/index.ts'
import {
  type Boundary,
  cursorAfter,
  inBatches,
  JsonRows,
  parseBoundaryCursor,
  RenderedJson,
  responseTooLarge,
} from '../../http/respond/index.ts'
import { pageSize } from '../../http/schema.ts'
import { WorkflowKey } from '../metadata.ts'
import type { Bead } from '../schema.ts'
import { EdgesAmong } from './graph.ts'
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
import type { BeadDepsResponse, BeadFilter, BeadGraphResponse, BeadPage, ListBodyBead } from './schema.ts'

/** A bead's position in a list. */
interface ListPosition {
  id: string
  created_at: number
}

/** Number of beads of a graph that are read together. */
const BATCH = 32

/** Notice of a list of ready beads that is incomplete. */
const READY_IS_PARTIAL = `"partial":true,"partial_errors":${JSON.stringify([
  'the ready beads have more than 64 MB; these are the most urgent, and GET beads lists all open ones page by page',
])}`

/** Maximum closed beads that one page examines. */
const MAX_SCANNED = 2000

const boundaryAt = ({ id, created_at }: ListPosition): Boundary => ({ createdAt: toTimestamp(created_at), id })

const MEMBERS_OF = `WITH RECURSIVE member(id) AS (
         SELECT ?1
         UNION SELECT id FROM beads WHERE root_id = ?1
         UNION SELECT depends_on_id FROM bead_edges WHERE issue_id = ?1 AND type = 'tracks' AND ?2
         UNION SELECT child.id FROM member CROSS JOIN beads child ON child.parent = member.id
       )`

const READY = query<BeadVersion, [number]>(`SELECT n, revision FROM beads
       WHERE ready = 1 AND (defer_until IS NULL OR defer_until <= ?) ORDER BY coalesce(priority, 2), created_at, id`)

const NEXT_DEFERRED = query<{ at: number | null }, [number]>(
  'SELECT min(defer_until) AS at FROM beads WHERE ready = 1 AND defer_until IS NOT NULL AND defer_until > ?',
)

/** Numbers of ready beads whose order is kept: fewer are found as quickly as what names the version of the store. */
const KEPT_READY = { least: 256, most: 20_000 }

/** Number of characters of ready beads that are made bytes together, and of their bytes that are kept at most. */
const READY_PIECE = 448 * 1024
const MAX_READY_BYTES = 8 * 1024 * 1024

const encoder = new TextEncoder()

/** The ready beads of a moment. */
interface ReadyBeads {
  /** The version of the store in which they were found. */
  readonly version: string
  readonly at: number
  readonly versions: readonly BeadVersion[]
  /** The beads as they were last sent, with a comma before each. */
  pieces?: readonly Uint8Array<ArrayBuffer>[]
  /** Time at which the next deferred bead joins them; undefined until somebody needs it. */
  until?: number
}

const CHILDREN = query<BeadVersion, [string]>(
  stablePlan('SELECT n, revision FROM beads WHERE parent = ? AND closed = 0 ORDER BY created_at, id'),
)

const MEMBERS = query<{ id: string }, [string, number]>(
  stablePlan(`${MEMBERS_OF} SELECT id FROM beads WHERE id IN (SELECT id FROM member) ORDER BY created_at, id`),
)

const MEMBER_PAGE = query<BeadVersion, [string, number, number, string, number]>(
  stablePlan(`${MEMBERS_OF} SELECT n, revision FROM beads
       WHERE id IN (SELECT id FROM member) AND (created_at, id) > (?3, ?4) ORDER BY created_at, id LIMIT ?5`),
)

const POSITION = query<ListPosition, [number]>('SELECT id, created_at FROM beads WHERE n = ?')

/** Queries of lists by their SQL: one for each set of filters. */
const QUERIES = new Map<string, SqlQuery<unknown, (string | number)[]>>()

/** Reads lists and graphs of beads. */
export class BeadLists {
  #ready: ReadyBeads | undefined
  /** True if the last list of ready beads had so many that they are kept. */
  #keepsReady = false

  constructor(
    private readonly store: Store,
    private readonly reader: BeadReader,
  ) {}

  /** One page, newest first. It may be short and still not be the last: then it has a cursor. */
  list(query: BeadFilter, assignees: readonly string[] | undefined): RenderedJson<ListBodyBead> {
    const filter = toListFilter(query, assignees)
    const boundary = parseBoundaryCursor(query.cursor)
    const limit = pageSize(query.limit)
    const lead = this.#chooseLead(filter)
    const until = lead && scansClosed(filter) ? this.#horizon(filter, lead, boundary) : undefined
    const versions = this.#run<BeadVersion>(pageQuery(filter, lead, { after: boundary, until }, limit + 1))
    return this.#page(versions, limit, this.#count(countQuery(filter)), until)
  }

  /** A page of so many beads; `versions` has one more when others follow, and `until` is where it ends otherwise. */
  #page(versions: BeadVersion[], limit: number, total: number, until?: Boundary): RenderedJson<ListBodyBead> {
    const { json, length } = this.reader.jsonRuns.page(versions.slice(0, limit))
    const next = length < versions.length ? this.#boundaryAfter(versions[length - 1]) : until
    const cursor = next === undefined ? '' : `,"next_cursor":${JSON.stringify(cursorAfter(next))}`
    return new RenderedJson(`{"items":[${json}],"total":${total}${cursor}}`)
  }

  #boundaryAfter(last: BeadVersion | undefined): Boundary | undefined {
    const position = last && this.store.get(POSITION, last.n)
    return position ? boundaryAt(position) : undefined
  }

  /** The term by which closed beads are found: of several, the one that the fewest of them match. */
  #chooseLead(filter: ListFilter): LeadingTerm | undefined {
    const leads = leadingTerms(filter)
    if (!scansClosed(filter)) return leads[0]
    const counts = leads.map((lead) => ({ lead, n: this.#count(closedCountQuery(filter, lead)) }))
    return counts.reduce((fewest, each) => (each.n < fewest.n ? each : fewest)).lead
  }

  /** Limit of a page's scan of closed beads, so that history does not slow lists. */
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

  /** Beads ready at `now`: most urgent first, then oldest. */
  ready(now: number): JsonRows<ListBodyBead> {
    const ready = this.#readyAt(now)
    const { versions } = ready
    return new JsonRows({
      head: '{"items":[',
      rows: versions.length < KEPT_READY.least ? this.#rows(versions) : (ready.pieces ?? this.#pieces(ready)),
      tail: (isComplete) => `],"total":${versions.length}${isComplete ? '' : `,${READY_IS_PARTIAL}`}}`,
    })
  }

  /** The same beads as before while reads see nothing new and no deferred one joins them. */
  #readyAt(now: number): ReadyBeads {
    if (!this.#keepsReady || this.store.isWriting) return { version: '', at: now, versions: this.#findReady(now) }
    const { version } = this.store
    const known = this.#ready
    if (known?.version === version && now >= known.at) {
      known.until ??= this.store.get(NEXT_DEFERRED, known.at)?.at ?? Number.POSITIVE_INFINITY
      if (now < known.until) return known
    }
    const ready = { version, at: now, versions: this.#findReady(now) }
    this.#ready = this.#keepsReady ? ready : undefined
    return ready
  }

  /** Many ready beads as bytes, which stay with them unless they are too large or one of them may read differently. */
  *#pieces(ready: ReadyBeads): Generator<Uint8Array<ArrayBuffer>, void> {
    const pieces: Uint8Array<ArrayBuffer>[] = []
    let [text, size, isKept] = ['', 0, true]
    const encode = () => {
      const piece = encoder.encode(text)
      text = ''
      size += piece.length
      isKept &&= size <= MAX_READY_BYTES
      if (isKept) pieces.push(piece)
      return piece
    }
    for (const { json, isCacheable } of this.reader.jsonRuns.list(ready.versions)) {
      text += `,${json}`
      isKept &&= isCacheable
      if (text.length >= READY_PIECE) yield encode()
    }
    if (text !== '') yield encode()
    if (isKept) ready.pieces = pieces
  }

  #findReady(now: number): readonly BeadVersion[] {
    const versions = this.store.all(READY, now)
    this.#keepsReady = versions.length >= KEPT_READY.least && versions.length <= KEPT_READY.most
    return versions
  }

  /** The open children of a bead, then the molecule and workflow it names. */
  children(bead: Bead): JsonRows<BeadDepsResponse> {
    const children = this.store.all(CHILDREN, bead.id)
    const named = [WorkflowKey.olderMoleculeId, WorkflowKey.olderWorkflowId]
      .map((key) => bead.metadata?.[key])
      .filter((id) => id !== undefined)
    const others = this.reader.list(named).filter(({ parent, status }) => parent !== bead.id || status === 'closed')
    const rows = this.#rows(children, others)
    return new JsonRows({ head: '{"children":[', rows, tail: whole(bead.id, 'the list of its children', ']}') })
  }

  /** Beads as the rows of a response, and others after them. */
  *#rows(versions: readonly BeadVersion[], others: readonly Bead[] = []): Generator<string, void> {
    for (const { json } of this.reader.jsonRuns.list(versions)) yield json
    for (const other of others) yield JSON.stringify(other)
  }

  /** A root with all beads that belong to it, and the edges among them. */
  graph(root: Bead): JsonRows<BeadGraphResponse> {
    const isConvoy = root.issue_type === 'convoy'
    const others = this.store.all(MEMBERS, root.id, isConvoy ? 1 : 0).flatMap(({ id }) => (id === root.id ? [] : [id]))
    const edges = new EdgesAmong([root.id, ...others])
    const reader = this.reader
    function* rows() {
      edges.add(root)
      yield JSON.stringify(root)
      for (const bead of inBatches(others, BATCH, (batch) => reader.list(batch))) {
        edges.add(bead)
        yield JSON.stringify(bead)
      }
    }
    const membership = isConvoy ? 'direct-root-id+parent-closure+convoy-members' : 'direct-root-id+parent-closure'
    const tail = () => `],"deps":${JSON.stringify(edges.list())},"membership":"${membership}"}`
    return new JsonRows({
      head: `{"root":${JSON.stringify(root)},"beads":[`,
      rows: rows(),
      tail: whole(root.id, 'the graph', tail),
    })
  }

  /** The root of a molecule and all beads below it, oldest first. */
  memberIds(root: string): string[] {
    return this.store.all(MEMBERS, root, 0).map(({ id }) => id)
  }

  /** A page of the beads that belong to a root, itself among them, oldest first. */
  members(root: Bead, { cursor, limit }: BeadPage): RenderedJson<ListBodyBead> {
    const isConvoy = root.issue_type === 'convoy' ? 1 : 0
    const boundary = parseBoundaryCursor(cursor)
    const size = pageSize(limit)
    const after = boundary ? Date.parse(boundary.createdAt ?? '') || 0 : Number.MIN_SAFE_INTEGER
    const versions = this.store.all(MEMBER_PAGE, root.id, isConvoy, after, boundary?.id ?? '', size + 1)
    return this.#page(versions, size, this.store.all(MEMBERS, root.id, isConvoy).length)
  }

  #run<Row>({ sql, values }: Query): Row[] {
    const known = QUERIES.get(sql)
    const found = known ?? query<unknown, (string | number)[]>(stablePlan(sql))
    if (!known) QUERIES.set(sql, found)
    return this.store.all(found, ...values) as Row[]
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

/** The end of what is shown whole or not at all. */
const whole = (id: string, what: string, tail: string | (() => string)) => (isComplete: boolean) => {
  if (!isComplete) throw responseTooLarge(`${what} of bead ${id}`, `read it page by page at beads/graph/${id}/beads`)
  return typeof tail === 'string' ? tail : tail()
}
