/** Something that can be listened to. Its owner emits, and hands out no more than `listen`. */
export class Signal<Args extends readonly unknown[] = []> {
  readonly #listeners = new Set<{ number: number; call: (...args: Args) => void }>()
  #last = 0

  /** Calls the listener each time it is emitted; returns how to unsubscribe. */
  readonly listen = (call: (...args: Args) => void): (() => void) => {
    const listener = { number: ++this.#last, call }
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** True if anything listens. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  /**
   * Calls the listeners in the order in which they came. One that unsubscribes is not called any more, and one that is
   * new is called the next time. The first that throws ends it: in a write, nothing may run after a failure.
   */
  emit(...args: Args): void {
    const last = this.#last
    for (const { number, call } of this.#listeners) {
      if (number > last) return
      call(...args)
    }
  }

  /** Unsubscribes every listener. */
  clear(): void {
    this.#listeners.clear()
  }
}

/** Unsubscribes from several signals as from one. */
export const unsubscriber =
  (...unsubscribes: readonly (() => void)[]): (() => void) =>
  () => {
    for (const unsubscribe of unsubscribes) unsubscribe()
  }
