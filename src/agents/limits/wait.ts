const MINUTE = 60_000
const LONGEST = 60 * MINUTE

/** How long a login is left alone whose program does not say when its limit ends: a minute, doubled each time, at most an hour. */
export const limitWait = (attempts: number): number => Math.min(MINUTE * 2 ** Math.max(0, attempts - 1), LONGEST)
