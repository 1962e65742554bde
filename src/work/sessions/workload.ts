import type { Clock } from '../../core/clock.ts'
import { type Statement, type Store, stablePlan } from '../../core/store/index.ts'

/** A bead that is assigned to somebody. */
interface AssignedBead {
  id: string
  status: string
}

/** More beads than this make no difference to how many sessions are started together. */
const MAX_BEADS = 500

/** Queries for work: beads assigned to sessions, and beads that wait for agents. */
export class Workload {
  readonly #assigned: Statement<AssignedBead, [string, number]>
  readonly #oneAssigned: Statement<{ id: string }, [string, number]>
  readonly #active: Statement<{ id: string; at: number }, [string]>
  readonly #newestActive: Statement<{ assignee: string; id: string; at: number }, []>
  readonly #unassigned: Statement<{ id: string }, [string, number, number]>
  readonly #isUnassigned: Statement<{ id: string }, [string]>
  readonly #deferred: Statement<{ at: number | null }, [number]>

  constructor(
    store: Store,
    private readonly clock: Clock,
  ) {
    const assigned = `FROM beads INDEXED BY beads_held
       WHERE assignee IN (SELECT value FROM json_each(?)) AND assignee != '' AND status != 'closed' AND workable = 1
         AND (status != 'open' OR (ready = 1 AND coalesce(defer_until, 0) <= ?))`
    this.#assigned = store.prepare(
      `SELECT id, status ${assigned} ORDER BY status, created_at DESC, id LIMIT ${MAX_BEADS}`,
    )
    this.#oneAssigned = store.prepare(`SELECT id ${assigned} LIMIT 1`)
    this.#active = store.prepare(
      stablePlan(`SELECT id, created_at AS at FROM beads INDEXED BY beads_held
       WHERE assignee = ? AND assignee != '' AND status = 'in_progress' AND status != 'closed' AND workable = 1
       ORDER BY created_at DESC, id DESC LIMIT 1`),
    )
    this.#newestActive = store.prepare(
      `SELECT assignee, id, max(created_at) AS at FROM beads INDEXED BY beads_held
       WHERE assignee != '' AND status = 'in_progress' AND status != 'closed' AND workable = 1 GROUP BY assignee`,
    )
    this.#unassigned = store.prepare(
      stablePlan(`SELECT id FROM beads
       WHERE ready = 1 AND assignee = '' AND routed_to = ? AND coalesce(defer_until, 0) <= ? AND type != 'epic'
       ORDER BY created_at, id LIMIT ?`),
    )
    this.#isUnassigned = store.prepare("SELECT id FROM beads WHERE id = ? AND ready = 1 AND assignee = ''")
    this.#deferred = store.prepare(
      `SELECT min(defer_until) AS at FROM beads
       WHERE ready = 1 AND defer_until IS NOT NULL AND defer_until > ?`,
    )
  }

  /** Beads assigned to any of these names that are in progress or ready; the newest in progress first. */
  assignedTo(names: readonly string[]): AssignedBead[] {
    return this.#assigned.all(JSON.stringify(names), this.clock.now())
  }

  /** One of those beads, if there is any; the others are not read. */
  oneAssignedTo(names: readonly string[]): string | undefined {
    return this.#oneAssigned.get(JSON.stringify(names), this.clock.now())?.id
  }

  /** The newest bead in progress that is assigned to any of these names; it costs the same however many there are. */
  activeBead(names: readonly string[]): string | undefined {
    return newestOf(names.flatMap((name) => this.#active.get(name) ?? []))
  }

  /** The same for many sessions: a lookup by their names. */
  activeBeads(): (names: readonly string[]) => string | undefined {
    const newest = new Map(this.#newestActive.all().map((bead) => [bead.assignee, bead]))
    if (newest.size === 0) return () => undefined
    return (names) => {
      const [only] = names
      if (names.length === 1 && only !== undefined) return newest.get(only)?.id
      return newestOf(names.flatMap((name) => newest.get(name) ?? []))
    }
  }

  /** Unassigned beads that are routed to an agent, the oldest first. */
  unassignedFor(agent: string): string[] {
    return this.#unassigned.all(agent, this.clock.now(), MAX_BEADS).map(({ id }) => id)
  }

  /** Ready beads that are assigned to an agent by its own name, which is that of its one session. */
  assignedToAgent(agent: string): string[] {
    return this.assignedTo([agent]).flatMap(({ id, status }) => (status === 'open' ? [id] : []))
  }

  /** True if a bead is ready and assigned to no one. */
  isUnassigned(bead: string): boolean {
    return this.#isUnassigned.get(bead) !== null
  }

  /** Time at which the next deferred bead becomes ready. */
  nextDeferred(): number | undefined {
    return this.#deferred.get(this.clock.now())?.at ?? undefined
  }
}

const newestOf = (beads: { id: string; at: number }[]): string | undefined =>
  beads.sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1))[0]?.id
