/** The session no longer holds the claim. */
export const CLAIM_LOST = 'claim-lost'
/** The session is in a state in which it does not take what was asked of it. */
export const SESSION_CONFLICT = 'session-conflict'
