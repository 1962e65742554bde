import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'

/** A bead that is someone's to work on. */
export interface AssignedBead {
  id: string
  status: string
}

/** More waiting work than this makes no difference to how many sessions are started at once. */
const MAX_BEADS = 500

/** What there is to do: work in the hands of sessions, and work that waits for agents. */
export class Workload {
  readonly #held: Statement<AssignedBead, [string, number]>
  readonly #newest: Statement<{ assignee: string; id: string; at: number }, []>
  readonly #waiting: Statement<{ id: string }, [string, number, number]>
  readonly #untouched: Statement<{ id: string }, [string]>
  readonly #deferred: Statement<{ at: number | null }, [number]>

  constructor(
    store: Store,
    private readonly clock: Clock,
  ) {
    this.#held = store.prepare(
      `SELECT id, status FROM beads INDEXED BY beads_held
       WHERE assignee IN (SELECT value FROM json_each(?)) AND assignee != '' AND status != 'closed' AND workable = 1
         AND (status != 'open' OR (ready = 1 AND coalesce(defer_until, 0) <= ?))
       ORDER BY status, created_at DESC, id LIMIT ${MAX_BEADS}`,
    )
    this.#newest = store.prepare(
      `SELECT assignee, id, max(created_at) AS at FROM beads INDEXED BY beads_held
       WHERE assignee != '' AND status = 'in_progress' AND status != 'closed' AND workable = 1 GROUP BY assignee`,
    )
    this.#waiting = store.prepare(
      stablePlan(`SELECT id FROM beads
       WHERE ready = 1 AND assignee = '' AND routed_to = ? AND coalesce(defer_until, 0) <= ? AND type != 'epic'
       ORDER BY created_at, id LIMIT ?`),
    )
    this.#untouched = store.prepare("SELECT id FROM beads WHERE id = ? AND ready = 1 AND assignee = ''")
    this.#deferred = store.prepare(
      `SELECT min(defer_until) AS at FROM beads
       WHERE ready = 1 AND defer_until IS NOT NULL AND defer_until > ?`,
    )
  }

  /** Beads stored under any of these names that are under way or can be begun; the newest in progress first. */
  assignedTo(names: readonly string[]): AssignedBead[] {
    return this.#held.all(JSON.stringify(names), this.clock.now())
  }

  /** Tells of names the newest bead in progress that is stored under any of them. */
  activeBeads(): (names: readonly string[]) => string | undefined {
    const newest = new Map(this.#newest.all().map((bead) => [bead.assignee, bead]))
    return (names) => {
      const beads = names.flatMap((name) => newest.get(name) ?? [])
      return beads.sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1))[0]?.id
    }
  }

  /** Beads routed to an agent that nobody has, the oldest first. */
  unassignedFor(agent: string): string[] {
    return this.#waiting.all(agent, this.clock.now(), MAX_BEADS).map(({ id }) => id)
  }

  /** Whether a bead still waits for someone to take it. */
  isUnassigned(bead: string): boolean {
    return this.#untouched.get(bead) !== null
  }

  /** When the next deferred bead becomes ready. */
  nextDeferred(): number | undefined {
    return this.#deferred.get(this.clock.now())?.at ?? undefined
  }
}
