import type { CityConfig } from '../../../config/city/index.ts'
import type { Clock } from '../../../core/clock.ts'

/** Recent crashes of each session, by the monotonic clock. It is in memory; a hold that follows from it is stored. */
export class CrashHistory {
  readonly #crashes = new Map<string, number[]>()

  constructor(
    private readonly config: { readonly current: Pick<CityConfig, 'daemon'> },
    private readonly clock: Clock,
  ) {}

  /** Until when a session is held if it crashes now: `max_restarts` within `restart_window` are too many. 0 for no hold. */
  holdUntil(session: string): number {
    const { maxRestarts, restartWindow } = this.config.current.daemon
    if (maxRestarts === 0) return 0
    const now = this.clock.monotonic()
    const first = [...this.#recent(session), now].at(-maxRestarts)
    return first === undefined ? 0 : Math.ceil(this.clock.now() + first + restartWindow - now)
  }

  record(session: string): void {
    this.#crashes.set(session, [...this.#recent(session), this.clock.monotonic()].slice(-MAX_CRASHES))
  }

  forget(session: string): void {
    this.#crashes.delete(session)
  }

  #recent(session: string): number[] {
    const since = this.clock.monotonic() - this.config.current.daemon.restartWindow
    return (this.#crashes.get(session) ?? []).filter((at) => at > since)
  }
}

/** Number of crashes of one session that are kept. */
const MAX_CRASHES = 1000
