import { cpuTimeOf } from '../../../src/host/process/cpu-time.ts'
import { ProcessTable } from '../../../src/host/process/process-table.ts'

/** Maximum processor time of a program until it does the expected thing, and maximum time without any. */
const MAY_USE_MS = 90_000
const IDLE_MS = 60_000
/** Less than this is what a program uses that only blinks. */
const WORKS = 0.05
const LOOK_MS = 5_000
type Seen<T> = T | undefined
const PROCESSES = new ProcessTable()

/**
 * Result of `look`, in time. A program that a busy machine lets wait has longer: what counts is the processor time that
 * it had, and how long it did next to nothing.
 */
export async function patiently<T>(pid: number | undefined, look: () => Seen<T> | Promise<Seen<T>>): Promise<Seen<T>> {
  const started = pid === undefined ? 0 : await cpuTimeOf(PROCESSES, pid)
  let used = started
  let active = performance.now()
  let next = active + LOOK_MS
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    const now = performance.now()
    if (now >= next && pid !== undefined) {
      const total = await cpuTimeOf(PROCESSES, pid)
      if (total - used > (now - next + LOOK_MS) * WORKS) active = now
      used = total
      next = now + LOOK_MS
    }
    if (used - started > MAY_USE_MS || now - active > IDLE_MS) return undefined
    await Bun.sleep(50)
  }
}
