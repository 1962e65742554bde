import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'

/** What ends by itself, and what to do then. */
export interface Leases {
  /** When the next one is over. */
  nearest(): number | undefined
  /** Ends those whose time is over. */
  sweep(): Promise<void>
  /** Gives all of them their full length again: their holders could not be heard. */
  renew(): Promise<void>
}

/** Keeps one deadline for the nearest of many leases. */
export class LeaseWatch {
  #deadline: Deadline | undefined
  #armedFor: number | undefined
  #forgetSteps: (() => void) | undefined

  constructor(
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly leases: Leases,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Nobody was heard while we were away, so every lease begins again. */
  async start(): Promise<void> {
    await this.leases.renew()
    this.#forgetSteps = this.deadlines.onStep(() => this.#then(this.leases.renew()))
    this.arm()
  }

  stop(): void {
    this.#deadline?.cancel()
    this.#forgetSteps?.()
    this.#forgetSteps = undefined
    this.#armedFor = undefined
  }

  /** Looks again which lease is the nearest. */
  arm(): void {
    if (!this.#forgetSteps) return
    const nearest = this.leases.nearest()
    if (nearest === this.#armedFor) return
    this.#deadline?.cancel()
    this.#armedFor = nearest
    if (nearest === undefined) return
    this.#deadline = this.deadlines.after(Math.max(0, nearest - this.clock.now()), () => {
      this.#armedFor = undefined
      this.#then(this.leases.sweep())
    })
  }

  #then(work: Promise<void>): void {
    work.then(() => this.arm(), this.report)
  }
}
