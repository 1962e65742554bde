import type { Statement } from 'bun:sqlite'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { NOT_COUNTED } from './readiness.ts'

/** How much work there is. */
export interface WorkCounts {
  open: number
  in_progress: number
  ready: number
}

interface Count {
  rig: string
  n: number
}

/** Counts of a city's work, from maintained counters and small indexes: their cost does not follow history. */
export class Tallies {
  readonly #counts: Statement<Count & { status: string; ready: number }, []>
  readonly #deferred: Statement<Count, [number]>
  readonly #underWay: Statement<{ id: string }, [string]>
  readonly #total: Statement<{ n: number | null }, []>
  readonly #mail: Statement<{ total: number; unread: number }, []>

  constructor(store: Store) {
    const counted = `type NOT IN (${NOT_COUNTED.map((type) => `'${type}'`).join(', ')})`
    this.#counts = store.prepare(
      `SELECT rig, status, sum(n) AS n, sum(ready) AS ready FROM bead_counts
       WHERE status IN ('open', 'in_progress') AND ${counted} GROUP BY rig, status`,
    )
    this.#deferred = store.prepare(
      `SELECT rig, count(*) AS n FROM beads
       WHERE ready = 1 AND defer_until IS NOT NULL AND defer_until > ? AND ${counted} GROUP BY rig`,
    )
    this.#underWay = store.prepare(
      stablePlan(`SELECT id FROM beads
       WHERE assignee = ? AND assignee != '' AND status = 'in_progress' AND status != 'closed' AND workable = 1
       ORDER BY created_at, id`),
    )
    this.#total = store.prepare('SELECT sum(n) AS n FROM bead_counts')
    this.#mail = store.prepare("SELECT total, unread FROM mail_counts WHERE recipient = ''")
  }

  /** Work by rig; '' is the city itself. Messages, convoys, convergences and sessions are not counted. */
  counts(now: number): Map<string, WorkCounts> {
    const counts = new Map<string, WorkCounts>()
    for (const { rig, status, n, ready } of this.#counts.all()) {
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

  /** All beads there are, closed ones too. */
  rows(): number {
    return this.#total.get()?.n ?? 0
  }

  /** Messages that are not archived, and those of them that are unread. */
  mail(): { total: number; unread: number } {
    return this.#mail.get() ?? { total: 0, unread: 0 }
  }

  underWay(assignee: string): string[] {
    return this.#underWay.all(assignee).map(({ id }) => id)
  }
}
