import type { Timers } from '../../src/client/follow.ts'

/** Plain timers: a command lives for moments, not through nights of sleep. */
export const timers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return { cancel: () => clearTimeout(timer) }
  },
}
