import { gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import type { Deadline } from '../../../core/deadlines.ts'
import { query, stablePlan } from '../../../core/store/index.ts'
import type { BeadRepository } from '../../../work/beads/index.ts'

interface Position {
  updated_at: number
  id: string
}

/** Maximum wisps that one write examines. */
const SLICE = 10
const MIN_INTERVAL_MS = 60_000
const WISPS = gcPart('wisps')

interface AgedWisp extends Position {
  readonly due: number
}

const AGED = query<AgedWisp, [number, string, number, number]>(
  stablePlan(`SELECT updated_at, id,
         NOT EXISTS (SELECT 1 FROM bead_edges e CROSS JOIN beads w ON w.id = e.issue_id
           WHERE e.depends_on_id = b.id AND w.status != 'closed')
         AND NOT EXISTS (SELECT 1 FROM beads c WHERE c.parent = b.id)
         AND NOT EXISTS (SELECT 1 FROM beads m WHERE m.root_id = b.id AND m.root_id IS NOT NULL) AS due
       FROM beads b WHERE ephemeral = 1 AND status = 'closed' AND type NOT IN ('message', 'session', 'wait')
         AND (updated_at, id) > (?1, ?2) AND updated_at < ?3 ORDER BY updated_at, id LIMIT ?4`),
)

/**
 * Keeps bookkeeping from growing indefinitely: wisps, and the steps and gates in their tier, are removed some time
 * after they were closed, unless something that is open waits for them or holds them; what lies under a bead goes
 * before it.
 */
export class WispRetention {
  #next: Deadline | undefined
  #running: Promise<void> | undefined
  #isStopped = false

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      beads: BeadRepository
      /**
       * Time a wisp stays once it is closed and left alone, and how often that is looked at, in milliseconds; 0
       * indefinitely.
       */
      terms(): { ttl: number; interval: number }
    },
  ) {}

  /** Runs now, and again after each interval. */
  start(): void {
    const { deadlines, reportError } = this.context
    const { terms } = this.peers
    const scheduleNext = () => {
      if (this.#isStopped) return
      this.#next = deadlines.interval(Math.max(terms().interval, MIN_INTERVAL_MS), () => this.start())
    }
    void this.run().catch(reportError).finally(scheduleNext)
  }

  /** Waits for a run that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#next?.cancel()
    await this.#running?.catch(() => {})
  }

  run(): Promise<void> {
    this.#running ??= this.#removeAll().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #removeAll(): Promise<void> {
    const { clock } = this.context
    const { terms } = this.peers
    const { ttl } = terms()
    if (ttl === 0) return
    while (!this.#isStopped && (await this.#removeLeaves(clock.now() - ttl)) > 0);
  }

  /** Removes what nothing lies under; returns how many that were. */
  async #removeLeaves(before: number): Promise<number> {
    const { store } = this.context
    const { beads } = this.peers
    let removed = 0
    let position: Position | undefined = { updated_at: 0, id: '' }
    while (position && !this.#isStopped) {
      const { updated_at, id }: Position = position
      const rows = await store.write((tx): AgedWisp[] => {
        const page: AgedWisp[] = tx.all(AGED, updated_at, id, before, SLICE)
        for (const row of page) if (row.due) beads.remove(tx, row.id)
        return page
      }, WISPS)
      removed += rows.filter(({ due }) => due).length
      position = rows.length === SLICE ? rows.at(-1) : undefined
    }
    return removed
  }
}
