import type { Timers } from '../../src/client/follow.ts'

/** Runs `task` once for all calls within `ms`, never twice at a time, and always after the last call. */
export function coalesce(timers: Timers, ms: number, task: () => Promise<void>, signal: AbortSignal): () => void {
  let isScheduled = false
  let isRunning = false
  const run = async () => {
    if (isRunning) return void timers.after(ms, () => void run())
    isScheduled = false
    isRunning = true
    try {
      if (!signal.aborted) await task()
    } finally {
      isRunning = false
    }
  }
  return () => {
    if (isScheduled || signal.aborted) return
    isScheduled = true
    timers.after(ms, () => void run())
  }
}
