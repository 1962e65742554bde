/** Resources of which a session can get a share. */
export const RESOURCES = ['cpu', 'memory', 'pids'] as const
export type Resource = (typeof RESOURCES)[number]
