import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import { probeDelay } from './back-off.ts'

/** How long a process may take until it is said not to be ready. */
const PATIENCE_MS = 5_000

interface ReadinessListener {
  /** Why it is not ready; undefined when it is. */
  probe(): Promise<string | undefined>
  onReady(): void
  onNotReady(reason: string): void
}

/** Asks a process whether it is ready, at growing intervals, until it is; nothing is asked afterwards. */
export class ReadinessWatch {
  #round = 0
  #next: Deadline | undefined

  constructor(
    private readonly options: { deadlines: Deadlines; clock: { now(): number } },
    private readonly listener: ReadinessListener,
  ) {}

  begin(): void {
    this.end()
    void this.#ask(this.#round, 0, this.options.clock.now())
  }

  end(): void {
    this.#round++
    this.#next?.cancel()
  }

  async #ask(round: number, probes: number, since: number): Promise<void> {
    const { clock, deadlines } = this.options
    const reason = await this.listener.probe().catch(errorMessage)
    if (round !== this.#round) return
    if (reason === undefined) return this.listener.onReady()
    if (clock.now() - since >= PATIENCE_MS) this.listener.onNotReady(reason)
    this.#next = deadlines.after(probeDelay(probes), () => this.#ask(round, probes + 1, since))
  }
}
