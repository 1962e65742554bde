/** Resolves once the event loop has served what waits: input, timers, other callers. */
export const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
