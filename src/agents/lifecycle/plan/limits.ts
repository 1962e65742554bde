const SECOND = 1000
const MINUTE = 60 * SECOND

/** An exit this soon after a start is a failed start. */
export const QUICK_EXIT = 30 * SECOND
/** An exit this soon after resuming a conversation means that the conversation does not exist any more. */
export const RESUME_EXIT = 2 * SECOND
/** A session that ran for this long did something useful. */
export const PRODUCTIVE_AFTER = 5 * MINUTE
/** Failed starts in a row after which a session is quarantined. */
export const MAX_FAILURES = 5
/** Early exits in a row after which a session is quarantined. */
export const MAX_CHURN = 3
export const QUARANTINE = 5 * MINUTE
/** Sessions that may exit over a bead before it is parked. */
export const PARK_AFTER = 5
/** So many sessions killed from outside over one bead are not chance any more: the bead explains them. */
export const EXPLAINED_KILLS = 3
/** Maximum time a new pool session may take to claim something, and an idle one stays up. */
export const IDLE_GRACE = 60 * SECOND
/** Time a named session on demand stays up without work, unless its agent sets another duration. */
export const ON_DEMAND_IDLE = 5 * MINUTE

/** The wait after the n-th failure in a row: 1 s, doubled each time, at most 5 min. */
export const backoff = (failures: number): number =>
  failures < 1 ? 0 : Math.min(SECOND * 2 ** (failures - 1), 5 * MINUTE)

/**
 * The wait before new sessions of an agent whose last `failures` starts failed: 30 s after the third, doubled each time,
 * at most 5 min. The waits before are those of the sessions themselves.
 */
export const agentBackoff = (failures: number): number =>
  failures < 3 ? 0 : Math.min(30 * SECOND * 2 ** (failures - 3), 5 * MINUTE)
