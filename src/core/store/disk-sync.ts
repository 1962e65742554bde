import { fdatasync, fdatasyncSync } from 'node:fs'

/** To wake a thread for a sync, and to hear from it, takes as long as a sync that is this short. */
const QUICK_MS = 0.5
/** Weight of one sync in the average. */
const WEIGHT = 1 / 16

/** Puts what was written to a file on disk; `isAlone` when nothing else waits to be written. */
export type Sync = (file: number, isAlone: boolean) => Promise<void>

export interface Disk {
  /** Syncs while the loop continues. */
  later: (file: number) => Promise<void>
  /** Syncs while the loop waits. */
  now: (file: number) => void
  /** Milliseconds of a clock that never goes back. */
  clock: () => number
}

const systemDisk: Disk = {
  later: (file) => new Promise((resolve, reject) => fdatasync(file, (error) => (error ? reject(error) : resolve()))),
  now: fdatasyncSync,
  clock: () => performance.now(),
}

/**
 * The syncs of one file. The loop continues, but for that of a write alone while they are quick on average: to wait for
 * it takes a fifth less of the processor than to have a thread do it.
 */
export function diskSync({ later, now, clock }: Disk = systemDisk): Sync {
  let average = 2 * QUICK_MS
  return async (file, isAlone) => {
    const started = clock()
    if (isAlone && average <= QUICK_MS) now(file)
    else await later(file)
    average += (clock() - started - average) * WEIGHT
  }
}
