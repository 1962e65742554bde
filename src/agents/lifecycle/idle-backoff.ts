import type { SessionRow } from '../sessions/table.ts'
import { backoff, IDLE_GRACE, QUICK_EXIT } from './limits.ts'

/** That a session crashed. */
export const CRASHED = 'crashed'
/** Reasons of sessions that ended by themselves. */
const OWN_ENDS = new Set(['exited gracefully', 'drain acknowledged', CRASHED])

/**
 * Delays sessions that are started without work when the last ones of their agent ended at once: longer each time, at
 * most a minute. Sessions for waiting work are not delayed.
 */
export class IdleBackoff {
  readonly #agents = new Map<string, { exits: number; until: number }>()

  constructor(private readonly now: () => number) {}

  /** Records that a session crashed, or stopped with the `reason` of its `session.stopped` event. */
  recordEnd({ template, origin, work, wokeAt }: SessionRow, reason: string): void {
    const now = this.now()
    if (origin === 'manual' || wokeAt === null) return
    if (now - wokeAt >= QUICK_EXIT) this.#agents.delete(template)
    else if (!work && OWN_ENDS.has(reason)) {
      const exits = (this.#agents.get(template)?.exits ?? 0) + 1
      this.#agents.set(template, { exits, until: now + Math.min(backoff(exits), IDLE_GRACE) })
    }
  }

  /** Until when an agent's sessions are not started without work; 0 when they may be. */
  until(agent: string): number {
    return this.#agents.get(agent)?.until ?? 0
  }

  /** Forgets all exits, because the configuration or the clock changed. */
  clear(): void {
    this.#agents.clear()
  }
}
