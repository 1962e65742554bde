import type { Deadlines } from './deadlines.ts'

/** After how many milliseconds the code that only starting needed is old enough for the collector to drop. */
const OLD_MS = 30_000

/**
 * Collects once what starting took: a process in which nothing happens allocates too little to do that automatically.
 */
export const collectAfterStart = (deadlines: Deadlines): void => void deadlines.after(OLD_MS, () => Bun.gc(true))
