/** After so many ends in a row a service is not started again automatically. */
export const MAX_FAILURES = 10
/** Number of failures after which a person is notified. */
export const FAILURES_TO_TELL = 3
/** One that ran this long has worked: what it failed before does not count. */
export const STABLE_MS = 60_000

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 5 * 60_000

/** Time a service that ended so many times in a row waits for its next start; undefined when there is none. */
export const restartDelay = (failures: number): number | undefined =>
  failures >= MAX_FAILURES ? undefined : Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS)

/** Number of times in a row it has ended now. */
export const countFailures = (before: number, ranForMs: number): number => (ranForMs >= STABLE_MS ? 1 : before + 1)

const FIRST_PROBE_MS = 50
const MAX_PROBE_MS = 10_000

/** Time after so many probes the next is made. */
export const probeDelay = (probes: number): number => Math.min(FIRST_PROBE_MS * 2 ** probes, MAX_PROBE_MS)
