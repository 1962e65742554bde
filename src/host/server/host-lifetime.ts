import type { Deadline, Deadlines } from '../../core/deadlines.ts'

/** How long a host with nothing to do stays. */
const IDLE_MS = 10_000

export interface HostLifetimeOptions {
  deadlines: Deadlines
  /** How long sessions run on while no supervisor is connected. */
  unattendedTimeout: number
  idleTimeout?: number
  /** Nobody has spoken to this host for that long while sessions ran. */
  unattended(): void
  /** There is nothing left to stay for. */
  idle(): void
}

/** Whether anybody watches, and whether there is anything to watch. */
export class HostLifetime {
  #supervisors = 0
  #sessions = 0
  #retired = false
  #waiting: Deadline | undefined
  #waitsFor: 'nothing' | 'supervisor' | 'work' = 'nothing'

  constructor(private readonly parts: HostLifetimeOptions) {}

  get retired(): boolean {
    return this.#retired
  }

  set supervisors(count: number) {
    this.#supervisors = count
    this.#decide()
  }

  /** Sessions that run, and for a retired host also the exits that nobody has acknowledged. */
  set sessions(count: number) {
    this.#sessions = count
    this.#decide()
  }

  /** From now on this host stays only for what it has. */
  retire(): void {
    this.#retired = true
    this.#decide()
  }

  /** Starts counting; before, a host is busy with coming up. */
  open(): void {
    this.#waitsFor = 'nothing'
    this.#decide()
  }

  #decide(): void {
    const watched = this.#supervisors > 0
    if (this.#sessions > 0) this.#wait(watched ? 'nothing' : 'supervisor')
    else this.#wait(watched && !this.#retired ? 'nothing' : 'work')
  }

  #wait(waitsFor: 'nothing' | 'supervisor' | 'work'): void {
    if (waitsFor === this.#waitsFor) return
    this.#waiting?.cancel()
    this.#waitsFor = waitsFor
    const { deadlines, unattendedTimeout, idleTimeout = IDLE_MS, unattended, idle } = this.parts
    if (waitsFor === 'nothing') this.#waiting = undefined
    if (waitsFor === 'supervisor') this.#waiting = deadlines.after(unattendedTimeout, unattended)
    if (waitsFor === 'work') this.#waiting = deadlines.after(this.#retired ? 0 : idleTimeout, idle)
  }
}
