/** Resolves once the event loop has served what waits: input, timers, other callers. */
export const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Time one slice of long work holds the event loop, in milliseconds. */
const SLICE_MS = 2

/** Cuts long work into slices: `if (slices.isOver) await slices.next()` lets others be served in between. */
export class LoopSlices {
  #end = performance.now() + SLICE_MS

  get isOver(): boolean {
    return performance.now() > this.#end
  }

  async next(): Promise<void> {
    await nextTick()
    this.#end = performance.now() + SLICE_MS
  }
}
