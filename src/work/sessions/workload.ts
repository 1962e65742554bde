import type { Clock } from '../../core/clock.ts'
import { query, type Store, stablePlan } from '../../core/store/index.ts'

/** A bead that is assigned to somebody. */
interface AssignedBead {
  id: string
  status: string
}

/** More beads than this make no difference to how many sessions are started together. */
const MAX_BEADS = 500

const HELD = "assignee != '' AND status != 'closed' AND workable = 1"

/** Beads that are in progress or ready, of those that a condition assigns to somebody. */
const assignedTo = (condition: string) => `FROM beads INDEXED BY beads_held
  WHERE assignee ${condition} AND ${HELD} AND (status != 'open' OR (ready = 1 AND coalesce(defer_until, 0) <= ?))`

const ASSIGNED = query<AssignedBead, [string, number]>(
  `SELECT id, status ${assignedTo('IN (SELECT value FROM json_each(?))')}
   ORDER BY status, created_at DESC, id LIMIT ${MAX_BEADS}`,
)

const ONE_ASSIGNED = query<{ id: string }, [string, number]>(stablePlan(`SELECT id ${assignedTo('= ?')} LIMIT 1`))

/** Each name is found by one step in the index, however many beads are assigned to it. */
const ASSIGNEES = query<{ name: string }>(
  `WITH RECURSIVE assignees(name) AS (
     SELECT min(assignee) FROM beads INDEXED BY beads_held WHERE ${HELD}
     UNION ALL
     SELECT (SELECT min(assignee) FROM beads INDEXED BY beads_held WHERE assignee > assignees.name AND ${HELD})
     FROM assignees WHERE name IS NOT NULL
   )
   SELECT name FROM assignees WHERE name IS NOT NULL`,
)

const ACTIVE = query<{ id: string; at: number }, [string]>(
  stablePlan(`SELECT id, created_at AS at FROM beads INDEXED BY beads_held
    WHERE assignee = ? AND status = 'in_progress' AND ${HELD}
    ORDER BY created_at DESC, id DESC LIMIT 1`),
)

const NEWEST_ACTIVE = query<{ assignee: string; id: string; at: number }>(
  `SELECT assignee, id, max(created_at) AS at FROM beads INDEXED BY beads_held
   WHERE status = 'in_progress' AND ${HELD} GROUP BY assignee`,
)

const UNASSIGNED = query<{ id: string }, [string, number, number]>(
  stablePlan(`SELECT id FROM beads
    WHERE ready = 1 AND assignee = '' AND routed_to = ? AND coalesce(defer_until, 0) <= ? AND type != 'epic'
    ORDER BY created_at, id LIMIT ?`),
)

const IS_UNASSIGNED = query<{ id: string }, [string]>(
  "SELECT id FROM beads WHERE id = ? AND ready = 1 AND assignee = ''",
)

const NEXT_DEFERRED = query<{ at: number | null }, [number]>(
  `SELECT min(defer_until) AS at FROM beads
   WHERE ready = 1 AND defer_until IS NOT NULL AND defer_until > ?`,
)

/** Queries for work: beads assigned to sessions, and beads that wait for agents. */
export class Workload {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  /** Beads assigned to any of these names that are in progress or ready; the newest in progress first. */
  assignedTo(names: readonly string[]): AssignedBead[] {
    return this.store.all(ASSIGNED, JSON.stringify(names), this.clock.now())
  }

  /** One of those beads, if there is any; the others are not read. */
  oneAssignedTo(names: readonly string[]): string | undefined {
    const now = this.clock.now()
    for (const name of names) {
      const bead = this.store.get(ONE_ASSIGNED, name, now)
      if (bead) return bead.id
    }
    return undefined
  }

  /** Every name that beads are assigned to which are not closed. */
  assignees(): ReadonlySet<string> {
    return new Set(this.store.all(ASSIGNEES).map(({ name }) => name))
  }

  /** The newest bead in progress that is assigned to any of these names; it costs the same however many there are. */
  activeBead(names: readonly string[]): string | undefined {
    return newestOf(names.flatMap((name) => this.store.get(ACTIVE, name) ?? []))
  }

  /** The same for many sessions. */
  activeBeads(): ActiveBeads {
    return new ActiveBeads(this.store.all(NEWEST_ACTIVE))
  }

  /** Unassigned beads that are routed to an agent, the oldest first. */
  unassignedFor(agent: string): string[] {
    return this.store.all(UNASSIGNED, agent, this.clock.now(), MAX_BEADS).map(({ id }) => id)
  }

  /** Ready beads that are assigned to an agent by its own name, which is that of its one session. */
  assignedToAgent(agent: string): string[] {
    return this.assignedTo([agent]).flatMap(({ id, status }) => (status === 'open' ? [id] : []))
  }

  /** True if a bead is ready and assigned to no one. */
  isUnassigned(bead: string): boolean {
    return this.store.get(IS_UNASSIGNED, bead) !== null
  }

  /** Time at which the next deferred bead becomes ready. */
  nextDeferred(): number | undefined {
    return this.store.get(NEXT_DEFERRED, this.clock.now())?.at ?? undefined
  }
}

/** The newest beads in progress, by the names that they are assigned to. */
export class ActiveBeads {
  readonly #newest: ReadonlyMap<string, { id: string; at: number }>

  constructor(beads: readonly { assignee: string; id: string; at: number }[]) {
    this.#newest = new Map(beads.map((bead) => [bead.assignee, bead]))
  }

  /** Every name that one is assigned to. */
  get assignees(): Iterable<string> {
    return this.#newest.keys()
  }

  /** The newest that is assigned to any of these names. */
  of(names: readonly string[]): string | undefined {
    if (this.#newest.size === 0) return undefined
    const [only] = names
    if (names.length === 1 && only !== undefined) return this.#newest.get(only)?.id
    return newestOf(names.flatMap((name) => this.#newest.get(name) ?? []))
  }
}

const newestOf = (beads: { id: string; at: number }[]): string | undefined =>
  beads.sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1))[0]?.id
