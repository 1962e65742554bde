/** Why a post or comment is not in the lists of everybody, as it is stored. */
export const UNLISTED = { repeat: 1, repeating: 2, pending: 3 } as const
