import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Checks that should be started or run; one that is over has no row. */
export const runChecks = sqliteTable('run_checks', {
  controlId: text('control_id').notNull(),
  rootId: text('root_id').notNull(),
  attemptId: text('attempt_id').notNull(),
  /** Number of times it was begun: again when the host that ran it was lost. */
  runs: integer().notNull().default(0),
  state: text({ enum: ['starting', 'running'] }).notNull(),
  pid: integer(),
  processStarted: text('process_started'),
  tokenHash: text('token_hash'),
  startedAt: integer('started_at'),
})
export type CheckRow = typeof runChecks.$inferSelect
