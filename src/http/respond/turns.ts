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
