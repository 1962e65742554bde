/** Spreads work over ticks of the event loop: so many pieces run in one tick, later ones in the ticks that follow. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #left: number
  #isArmed = false

  constructor(private readonly perTick: number) {
    this.#left = perTick
  }

  /** Runs it in this tick if that has room, else as soon as one has. */
  run(work: () => void): void {
    this.#arm()
    if (this.#left === 0) {
      this.#waiting.push(work)
      return
    }
    this.#left--
    work()
  }

  /** Resolves in the tick whose turn it is. */
  next(): Promise<void> {
    return new Promise((resolve) => this.run(resolve))
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(() => this.#refill())
  }

  #refill(): void {
    this.#isArmed = false
    this.#left = this.perTick
    for (const work of this.#waiting.splice(0, this.perTick)) this.run(work)
    if (this.#waiting.length > 0) this.#arm()
  }
}

/**
 * Spreads work over ticks of the event loop by what it takes, in a unit of its own: one piece at a time, and none begins in
 * a tick that has spent so much. Work that waited runs between the events of two ticks, never within the event of another.
 */
export class MeasuredTurns {
  readonly #waiting: (() => void)[] = []
  #spent = 0
  #isTaken = false
  #isArmed = false
  /** True while work that waited runs. */
  #isRefilling = false

  constructor(private readonly perTick: number) {}

  /** Resolves in the tick whose turn it is; call `end` without waiting for anything else. */
  next(): Promise<void> {
    this.#arm()
    if (this.#waiting.length > 0 || !this.#hasTurn) return new Promise((resolve) => void this.#waiting.push(resolve))
    this.#isTaken = true
    return Promise.resolve()
  }

  /** Ends a turn that took so much. */
  end(taken: number): void {
    this.#isTaken = false
    this.#spent += taken
    if (this.#isRefilling) this.#resume()
  }

  get #hasTurn(): boolean {
    return !this.#isTaken && this.#spent < this.perTick
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(() => this.#refill())
  }

  #refill(): void {
    this.#isArmed = false
    this.#spent = 0
    this.#isRefilling = true
    this.#resume()
    if (this.#waiting.length > 0) this.#arm()
  }

  #resume(): void {
    const begin = this.#hasTurn ? this.#waiting.shift() : undefined
    this.#isRefilling = begin !== undefined
    this.#isTaken ||= this.#isRefilling
    begin?.()
  }
}
