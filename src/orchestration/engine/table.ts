import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Attempts that somebody works on and that have a time limit: when it is over. */
export const stepTimeouts = sqliteTable('step_timeouts', {
  attemptId: text('attempt_id').primaryKey(),
  timeoutMs: integer('timeout_ms').notNull(),
  dueAt: integer('due_at').notNull(),
})
export type StepTimeout = typeof stepTimeouts.$inferSelect

/** The sessions that last began a step of each continuation group of the runs that go on. */
export const runSessions = sqliteTable(
  'run_sessions',
  {
    rootId: text('root_id').notNull(),
    group: text('continuation_group').notNull(),
    sessionId: text('session_id').notNull(),
    /** The name under which its work is assigned. */
    identity: text().notNull(),
  },
  (session) => [primaryKey({ columns: [session.rootId, session.group] })],
)
export type RunSession = typeof runSessions.$inferSelect
