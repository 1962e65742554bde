import type { SessionRow } from '../sessions/table.ts'
import { backoff, IDLE_GRACE, QUICK_EXIT } from './limits.ts'

/** How it is told that a session which found nothing to do is over: its program ended well, or said that it is done. */
const VOLUNTARY_STOPS = new Set(['exited gracefully', 'drain acknowledged'])

/**
 * Agents whose sessions are kept up for nothing in particular and leave at once: the next would do the same, so it is
 * waited for, longer each time and a minute at most. Work that waits is not held back by it.
 */
export class IdleBackoff {
  readonly #known = new Map<string, { left: number; until: number }>()

  constructor(private readonly now: () => number) {}

  /** A session is over; `reason` is how its `session.stopped` tells it. */
  recordStop({ template, origin, work, wokeAt }: SessionRow, reason: string): void {
    const now = this.now()
    if (origin === 'manual' || wokeAt === null) return
    if (now - wokeAt >= QUICK_EXIT) this.#known.delete(template)
    else if (!work && VOLUNTARY_STOPS.has(reason)) {
      const left = (this.#known.get(template)?.left ?? 0) + 1
      this.#known.set(template, { left, until: now + Math.min(backoff(left), IDLE_GRACE) })
    }
  }

  /** Until when an agent's sessions are not brought up for nothing in particular; 0 when they may be. */
  until(agent: string): number {
    return this.#known.get(agent)?.until ?? 0
  }

  /** Agents were declared anew, or the clock was set. */
  clear(): void {
    this.#known.clear()
  }
}
