/** Why a post or comment is not in the lists of everybody, as it is stored. */
export const UNLISTED = { repeat: 1, repeating: 2 } as const

/** Whether a comment is left out of its thread, in the words of the index `comments_unlisted`. */
export const IS_UNLISTED = 'unlisted < 3'
