import { duration, integer, string, type ValuesOf } from './fields.ts'

/** `[session]`: how a session is started and spoken to. */
export const SESSION = {
  provider: string('provider'),
  setupTimeout: duration('setup_timeout'),
  worktreeLimit: integer('worktree_limit', { min: 1 }),
  startupTimeout: duration('startup_timeout'),
}
export type SessionFields = ValuesOf<typeof SESSION>
