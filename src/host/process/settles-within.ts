import type { Deadlines } from '../../core/deadlines.ts'

/** Waits for a promise, but no longer than `ms`; answers whether it came in time. */
export async function settlesWithin(deadlines: Deadlines, ms: number, promise: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const deadline = deadlines.after(ms, () => late.resolve(false))
  try {
    return await Promise.race([promise.then(() => true), late.promise])
  } finally {
    deadline.cancel()
  }
}
