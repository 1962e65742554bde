const KB = 1024

/** The bounds of comments: the bytes of one, and the number and the bytes of all on one bead. */
export const COMMENT_LIMITS = { text: 64 * KB, count: 1000, all: 1024 * KB } as const

/** How many beads can be asked about at once. */
export const MAX_COUNTED_BEADS = 200
