import type { CityConfig } from '../../config/city-config.ts'
import type { Clock } from '../../core/clock.ts'

interface Crash {
  /** By the monotonic clock. */
  at: number
  /** The bead that it counts against; '' for none. */
  bead: string
}

/**
 * The recent crashes of each agent's sessions. Those over one bead count once, since that bead is parked in the end.
 * The history is in memory; a hold that follows from it is stored.
 */
export class CrashHistory {
  readonly #crashes = new Map<string, Crash[]>()

  constructor(
    private readonly config: { readonly current: Pick<CityConfig, 'daemon'> },
    private readonly clock: Clock,
  ) {}

  /** Until when an agent is held if one of its sessions crashes now; 0 while another crash is allowed. */
  holdUntil(agent: string, bead = ''): number {
    const { maxRestarts, restartWindow } = this.config.current.daemon
    if (maxRestarts === 0) return 0
    const now = this.clock.monotonic()
    const recent = [...this.#recent(agent), { at: now, bead }]
    const counted = recent.filter((crash, index) => crash.bead === '' || firstIndexOf(recent, crash) === index)
    const first = counted.at(-maxRestarts)
    return first ? Math.ceil(this.clock.now() + first.at + restartWindow - now) : 0
  }

  record(agent: string, bead = ''): void {
    this.#crashes.set(agent, [...this.#recent(agent), { at: this.clock.monotonic(), bead }].slice(-MAX_CRASHES))
  }

  forget(agent: string): void {
    this.#crashes.delete(agent)
  }

  #recent(agent: string): Crash[] {
    const since = this.clock.monotonic() - this.config.current.daemon.restartWindow
    return (this.#crashes.get(agent) ?? []).filter(({ at }) => at > since)
  }
}

/** How many crashes of one agent are kept. */
const MAX_CRASHES = 1000

const firstIndexOf = (crashes: readonly Crash[], { bead }: Crash): number =>
  crashes.findIndex((crash) => crash.bead === bead)
