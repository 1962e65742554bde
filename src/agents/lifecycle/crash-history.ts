import type { CityConfig } from '../../config/city-config.ts'
import type { Clock } from '../../core/clock.ts'

interface Crash {
  /** By the monotonic clock. */
  at: number
  /** The bead that it is blamed on; '' for none. */
  bead: string
}

/**
 * How often the sessions of each agent fell lately. What one bead did counts once, since that bead is parked in the
 * end. It is kept while we run; a hold that came of it is on record.
 */
export class CrashHistory {
  readonly #of = new Map<string, Crash[]>()

  constructor(
    private readonly config: { readonly current: Pick<CityConfig, 'daemon'> },
    private readonly clock: Clock,
  ) {}

  /** Until when an agent is left alone if a session of it falls now; 0 while it may fall once more. */
  holdUntil(agent: string, bead = ''): number {
    const { maxRestarts, restartWindow } = this.config.current.daemon
    if (maxRestarts === 0) return 0
    const now = this.clock.monotonic()
    const lately = [...this.#lately(agent), { at: now, bead }]
    const counted = lately.filter((crash, index) => crash.bead === '' || firstIndexOf(lately, crash) === index)
    const first = counted.at(-maxRestarts)
    return first ? Math.ceil(this.clock.now() + first.at + restartWindow - now) : 0
  }

  record(agent: string, bead = ''): void {
    this.#of.set(agent, [...this.#lately(agent), { at: this.clock.monotonic(), bead }].slice(-MAX_CRASHES))
  }

  forget(agent: string): void {
    this.#of.delete(agent)
  }

  #lately(agent: string): Crash[] {
    const since = this.clock.monotonic() - this.config.current.daemon.restartWindow
    return (this.#of.get(agent) ?? []).filter(({ at }) => at > since)
  }
}

/** Of one agent so many are remembered. */
const MAX_CRASHES = 1000

const firstIndexOf = (crashes: readonly Crash[], { bead }: Crash): number =>
  crashes.findIndex((crash) => crash.bead === bead)
