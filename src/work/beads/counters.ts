import type { Statement } from '../../core/statement.ts'
import type { Store } from '../../core/store.ts'
import { UNCOUNTED_TYPES } from './readiness.ts'

/** How much work there is. */
export interface WorkCounts {
  open: number
  in_progress: number
  ready: number
}

interface RigCount {
  rig: string
  n: number
}

/** Counts the beads of a city from maintained counters and small indexes: the cost does not grow with history. */
export class BeadCounters {
  readonly #byStatus: Statement<RigCount & { status: string; ready: number }, []>
  readonly #deferred: Statement<RigCount, [number]>
  readonly #total: Statement<{ n: number | null }, []>
  readonly #statuses: Statement<{ status: string; n: number }, []>

  constructor(store: Store) {
    const isCounted = `type NOT IN (${UNCOUNTED_TYPES.map((type) => `'${type}'`).join(', ')})`
    this.#byStatus = store.prepare(
      `SELECT rig, status, sum(n) AS n, sum(ready) AS ready FROM bead_counts
       WHERE status IN ('open', 'in_progress') AND ${isCounted} GROUP BY rig, status`,
    )
    this.#deferred = store.prepare(
      `SELECT rig, count(*) AS n FROM beads
       WHERE ready = 1 AND defer_until IS NOT NULL AND defer_until > ? AND ${isCounted} GROUP BY rig`,
    )
    this.#total = store.prepare('SELECT sum(n) AS n FROM bead_counts')
    this.#statuses = store.prepare(
      `SELECT status, sum(n) AS n FROM bead_counts WHERE ${isCounted} GROUP BY status ORDER BY status`,
    )
  }

  /** Work by rig; '' is the city itself. Messages, convoys, convergences and sessions are not counted. */
  counts(now: number): Map<string, WorkCounts> {
    const counts = new Map<string, WorkCounts>()
    for (const { rig, status, n, ready } of this.#byStatus.all()) {
      const count = counts.get(rig) ?? { open: 0, in_progress: 0, ready: 0 }
      if (status === 'open') Object.assign(count, { open: n, ready })
      else count.in_progress = n
      counts.set(rig, count)
    }
    for (const { rig, n } of this.#deferred.all(now)) {
      const count = counts.get(rig)
      if (count) count.ready -= n
    }
    return counts
  }

  /** How many of the same beads have each status, closed ones too. */
  byStatus(): { status: string; n: number }[] {
    return this.#statuses.all()
  }

  /** All beads, closed ones too. */
  total(): number {
    return this.#total.get()?.n ?? 0
  }
}
