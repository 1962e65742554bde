/**
 * Maximum time a connection may be idle, in seconds: the most there is. Streams and waits are taken out of it one by
 * one.
 */
export const IDLE_TIMEOUT_S = 255

/** The shortest time-out there is, in seconds: it ends the connection of a reader that takes nothing. */
export const GONE_TIMEOUT_S = 1
