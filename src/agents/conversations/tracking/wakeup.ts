/** Wakes one waiting reader; beats that come while it is busy are one beat. */
export class Pulse {
  #beaten = false
  #wake: (() => void) | undefined

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.beat(), { once: true })
  }

  beat(): void {
    this.#beaten = true
    this.#wake?.()
  }

  /** Resolves at the next beat, or at once when one was missed or the signal has aborted. */
  async next(): Promise<void> {
    if (!this.#beaten && !this.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#beaten = false
    this.#wake = undefined
  }
}
