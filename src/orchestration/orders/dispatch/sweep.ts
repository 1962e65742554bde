import { type Actor, gcPart } from '../../../core/actor.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import { errorMessage } from '../../../core/errors.ts'
import { stablePlan } from '../../../core/stable-plan.ts'
import type { Statement } from '../../../core/statement.ts'
import type { Store, Tx } from '../../../core/store.ts'
import type { BeadRepository } from '../../../work/beads/repository.ts'
import { TRACKING_LABEL } from './labels.ts'
import type { OrderRuns } from './order-runs.ts'

interface SweepOptions {
  store: Store
  clock: Clock
  deadlines: Deadlines
  beadRepository: BeadRepository
  runs: OrderRuns
  report(message: string): void
}

const DAY = 86_400_000
/** How long runs are kept once they are over. */
const RETENTION = 7 * DAY
const BATCH = 16
const MAX_STALE = 1_000
const ORDERS = gcPart('orders')

/** Removes what is left of runs that were over long ago, and closes tracking beads that no run will close. */
export class Sweep {
  readonly #options: SweepOptions
  readonly #open: Statement<{ id: string }, [string, number, number]>
  #next: Deadline | undefined
  #isStopped = true

  constructor(options: SweepOptions) {
    this.#options = options
    this.#open = options.store.prepare(
      stablePlan(
        'SELECT id FROM bead_labels WHERE label = ? AND closed = 0 AND created_at <= ? ORDER BY created_at, id LIMIT ?',
      ),
    )
  }

  /** Removes now and once a day. */
  start(): void {
    this.#isStopped = false
    const { deadlines, report } = this.#options
    this.#next = deadlines.after(DAY, () => this.start())
    this.#removeOld().catch((error) => report(`old runs of orders could not be removed: ${errorMessage(error)}`))
  }

  stop(): void {
    this.#isStopped = true
    this.#next?.cancel()
  }

  /** Closes tracking beads older than so many milliseconds whose run is over or not known; returns which. */
  async closeStale(olderThan: number, actor: Actor): Promise<string[]> {
    const { store, clock, beadRepository: beads, runs } = this.#options
    const candidates = this.#open.all(TRACKING_LABEL, clock.now() - olderThan, MAX_STALE).map(({ id }) => id)
    const stale = candidates.filter((id) => (runs.find(id)?.state ?? 'done') === 'done')
    for (let at = 0; at < stale.length; at += BATCH) {
      await store.write((tx) => {
        for (const id of stale.slice(at, at + BATCH)) {
          if (beads.find(id)) beads.close(tx, id, 'swept: no run of an order will close it')
        }
      }, actor)
    }
    return stale
  }

  async #removeOld(): Promise<void> {
    const { runs, clock, store } = this.#options
    const before = clock.now() - RETENTION
    for (let ids = runs.over(before, BATCH); ids.length > 0 && !this.#isStopped; ids = runs.over(before, BATCH)) {
      await store.write((tx) => {
        for (const id of ids) this.#remove(tx, id)
      }, ORDERS)
    }
  }

  #remove(tx: Tx, id: string): void {
    const { beadRepository: beads, runs } = this.#options
    if (beads.find(id)) beads.remove(tx, id)
    runs.remove(tx, id)
  }
}
