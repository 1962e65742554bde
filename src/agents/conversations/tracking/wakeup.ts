/** Wakes one waiting reader; notifications that arrive while it is busy count as one. */
export class Wakeup {
  #isNotified = false
  #wake: (() => void) | undefined

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.notify(), { once: true })
  }

  notify(): void {
    this.#isNotified = true
    this.#wake?.()
  }

  /** Resolves at the next notification, or immediately when one was missed or the signal was aborted. */
  async wait(): Promise<void> {
    if (!this.#isNotified && !this.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#isNotified = false
    this.#wake = undefined
  }
}
