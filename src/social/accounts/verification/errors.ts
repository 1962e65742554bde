/** The challenge was answered before. */
export const ALREADY_ANSWERED = 'already-answered'
/** The challenge can be answered no more. */
export const EXPIRED = 'verification-expired'
