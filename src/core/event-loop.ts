/** Resolves once the event loop has served what waits: input, timers, other callers. */
export const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Time one slice of long work holds the event loop, in milliseconds. */
const SLICE_MS = 2

/** Steps for each look at the clock, which costs as much as a small step. */
const STEPS = 32

/** Cuts long work of small steps into slices: `if (slices.isOver) await slices.next()` lets others be served in between. */
export class LoopSlices {
  #end = performance.now() + SLICE_MS
  #steps = 0

  /** To be read once a step. */
  get isOver(): boolean {
    return ++this.#steps % STEPS === 0 && performance.now() > this.#end
  }

  async next(): Promise<void> {
    await nextTick()
    this.#end = performance.now() + SLICE_MS
  }
}
