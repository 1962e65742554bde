import type { Timers } from '../../src/client/follow.ts'

/** Runs `task` at once, then once for all calls within `ms` after it has ended, and always after the last call. */
export function coalesce(timers: Timers, ms: number, task: () => Promise<void>, signal: AbortSignal): () => void {
  let isBusy = false
  let isWanted = false
  const rest = () => {
    isBusy = false
    if (isWanted && !signal.aborted) void run()
  }
  const run = async () => {
    isBusy = true
    isWanted = false
    try {
      await task()
    } finally {
      timers.after(ms, rest)
    }
  }
  return () => {
    if (isBusy) isWanted = true
    else if (!signal.aborted) void run()
  }
}
