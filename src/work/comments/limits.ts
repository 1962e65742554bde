const KB = 1024

/** The bytes of one comment, and the number and the bytes of all comments on one bead. */
export const COMMENT_LIMITS = { text: 64 * KB, count: 1000, all: 1024 * KB } as const

/** Maximum number of beads one request may count. */
export const MAX_COUNTED_BEADS = 200
