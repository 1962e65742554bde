/** Commands of orders by what began them; each lane has room of its own, so that none keeps another from running. */
export type Lane = 'due' | 'webhook' | 'asked'

/** How many commands of a lane run at a time: a person who asks for one does not wait for others. */
const SLOTS: Readonly<Record<Lane, number>> = { due: 16, webhook: 8, asked: Number.POSITIVE_INFINITY }

export function laneOf(cause: string): Lane {
  if (cause === 'run') return 'asked'
  return cause === 'webhook' ? 'webhook' : 'due'
}

/** Which runs are being started or run, and how many more may be. */
export class RunSlots {
  readonly #lanes = new Map<string, Lane>()
  readonly #taken: Record<Lane, number> = { due: 0, webhook: 0, asked: 0 }

  has(trackingId: string): boolean {
    return this.#lanes.has(trackingId)
  }

  take(trackingId: string, lane: Lane): void {
    if (this.#lanes.has(trackingId)) return
    this.#lanes.set(trackingId, lane)
    this.#taken[lane]++
  }

  release(trackingId: string): void {
    const lane = this.#lanes.get(trackingId)
    if (lane === undefined) return
    this.#lanes.delete(trackingId)
    this.#taken[lane]--
  }

  free(lane: Lane): number {
    return Math.max(0, SLOTS[lane] - this.#taken[lane])
  }

  /** How many runs of a lane are being started or run. */
  taken(lane: Lane): number {
    return this.#taken[lane]
  }
}
