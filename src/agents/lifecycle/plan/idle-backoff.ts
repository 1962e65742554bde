import type { SessionRow } from '../../../work/sessions/index.ts'
import { backoff, IDLE_GRACE, QUICK_EXIT } from './limits.ts'

/** Stop reasons of sessions that found nothing to do. */
const VOLUNTARY_STOPS = new Set(['exited gracefully', 'drain acknowledged'])

/**
 * Delays sessions that are started without work when the last ones of their agent exited immediately: longer each time,
 * at most a minute. Sessions for waiting work are not delayed.
 */
export class IdleBackoff {
  readonly #agents = new Map<string, { exits: number; until: number }>()

  constructor(private readonly now: () => number) {}

  /** Records that a session stopped; `reason` is that of its `session.stopped` event. */
  recordStop({ template, origin, work, wokeAt }: SessionRow, reason: string): void {
    const now = this.now()
    if (origin === 'manual' || wokeAt === null) return
    if (now - wokeAt >= QUICK_EXIT) this.#agents.delete(template)
    else if (!work && VOLUNTARY_STOPS.has(reason)) {
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
