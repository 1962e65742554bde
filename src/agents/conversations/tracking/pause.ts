import type { Deadlines } from '../../../core/deadlines.ts'

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export function pause(deadlines: Deadlines, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      deadline.cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const deadline = deadlines.after(ms, end)
    signal.addEventListener('abort', end, { once: true })
  })
}
