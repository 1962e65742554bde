import type { Timers } from '../../src/client/follow.ts'

/** Plain timers: a command does not run long enough for more. */
export const timers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return { cancel: () => clearTimeout(timer) }
  },
}
