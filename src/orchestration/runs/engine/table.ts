import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Attempts that somebody works on and that have a time limit: when it is over. */
export const stepTimeouts = sqliteTable('step_timeouts', {
  attemptId: text('attempt_id').notNull(),
  timeoutMs: integer('timeout_ms').notNull(),
  dueAt: integer('due_at').notNull(),
})
export type StepTimeout = typeof stepTimeouts.$inferSelect
