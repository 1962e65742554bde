/** What of a machine a session can be held to a share of. */
export const RESOURCES = ['cpu', 'memory', 'pids'] as const
export type Resource = (typeof RESOURCES)[number]
