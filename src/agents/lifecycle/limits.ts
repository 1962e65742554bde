const SECOND = 1000
const MINUTE = 60 * SECOND

/** A death this soon after a start is a failed start. */
export const QUICK_EXIT = 30 * SECOND
/** A death this soon after going on with a conversation means that there is no such conversation any more. */
export const RESUME_EXIT = 2 * SECOND
/** A session that lived this long did something useful. */
export const PRODUCTIVE_AFTER = 5 * MINUTE
/** Failed starts in a row after which a session is quarantined. */
export const MAX_FAILURES = 5
/** Early deaths in a row after which a session is quarantined. */
export const MAX_CHURN = 3
export const QUARANTINE = 5 * MINUTE
/** Sessions a bead may take down before it is parked. */
export const PARK_AFTER = 5
/** How long a new pool session may take to claim something, and an idle one stays. */
export const IDLE_GRACE = 60 * SECOND
/** How long a named session on demand stays up with nothing to do, unless its agent says otherwise. */
export const ON_DEMAND_IDLE = 5 * MINUTE
/** How long whoever ran into the usage limit of its model is left alone. */
export const USAGE_HOLD = 30 * MINUTE

/** The wait after the n-th failure in a row: 1 s, doubled each time, at most 5 min. */
export const backoff = (failures: number): number =>
  failures < 1 ? 0 : Math.min(SECOND * 2 ** (failures - 1), 5 * MINUTE)

/** The wait before a suspect agent is tried again: 30 s after the third death in a row, doubled each time, at most 30 min. */
export const agentBackoff = (deaths: number): number =>
  deaths < 3 ? 0 : Math.min(30 * SECOND * 2 ** (deaths - 3), 30 * MINUTE)
