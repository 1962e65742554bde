import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'

/** What a lease timer does with the leases it watches. */
export interface LeaseActions {
  /** When the next lease expires. */
  nextExpiry(): number | undefined
  /** Ends the leases that have expired. */
  expire(): Promise<void>
  /** Gives every lease its full length again, because heartbeats could not arrive. */
  renewAll(): Promise<void>
}

/** Keeps one deadline for the nearest of many leases. */
export class LeaseTimer {
  #deadline: Deadline | undefined
  #armedFor: number | undefined
  #unsubscribe: (() => void) | undefined

  constructor(
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly actions: LeaseActions,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Begins every lease again, since no heartbeat could arrive while nothing ran. */
  async start(): Promise<void> {
    await this.actions.renewAll()
    this.#unsubscribe = this.deadlines.onClockStep(() => this.#armAfter(this.actions.renewAll()))
    this.arm()
  }

  stop(): void {
    this.#deadline?.cancel()
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    this.#armedFor = undefined
  }

  /** Sets the deadline to the lease that expires next. */
  arm(): void {
    if (!this.#unsubscribe) return
    const next = this.actions.nextExpiry()
    if (next === this.#armedFor) return
    this.#deadline?.cancel()
    this.#armedFor = next
    if (next === undefined) return
    this.#deadline = this.deadlines.after(Math.max(0, next - this.clock.now()), () => {
      this.#armedFor = undefined
      this.#armAfter(this.actions.expire())
    })
  }

  #armAfter(action: Promise<void>): void {
    action.then(() => this.arm(), this.report)
  }
}
