import { type Declaration, duration, integer, sessionBackend, type ValuesOf } from '../declare/index.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** `[session]`: how a session is started and spoken to. */
export const SESSION = {
  provider: sessionBackend('provider'),
  setupTimeout: duration('setup_timeout'),
  /** Maximum worktrees of the city at a time. */
  worktreeLimit: integer('worktree_limit', { min: 1 }),
  /** The bytes of the largest file that a snapshot of a worktree holds. */
  snapshotMaxBytes: integer('snapshot_max', { min: 1 }),
  /** The shortest time between two looks at the same worktree. */
  snapshotInterval: duration('snapshot_interval'),
  /** Maximum time a program may take from its start until it works, unless its provider says otherwise. */
  startupTimeout: duration('startup_timeout'),
}
export type SessionFields = ValuesOf<typeof SESSION>
export type SessionConfig = Readonly<SessionFields>

export const resolveSession = (declared: Declaration<SessionFields> | undefined): SessionConfig => ({
  provider: '',
  setupTimeout: 10 * SECOND,
  worktreeLimit: 50,
  snapshotMaxBytes: 100_000_000,
  snapshotInterval: 30 * SECOND,
  startupTimeout: 10 * MINUTE,
  ...declared?.values,
})
