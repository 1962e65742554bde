import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The processes of services: at most one each. */
export const serviceProcesses = sqliteTable('service_processes', {
  name: text().notNull(),
  /** Number of times it was started; each start has a name of its own in the session host. */
  runs: integer().notNull().default(0),
  /** `waiting`: it ended and is started again at `dueAt`; `stopped`: it ended too often. */
  state: text({ enum: ['starting', 'running', 'waiting', 'stopped'] }).notNull(),
  /** Fingerprint of its start; a change restarts it. */
  fingerprint: text().notNull(),
  pid: integer(),
  processStarted: text('process_started'),
  tokenHash: text('token_hash'),
  startedAt: integer('started_at'),
  /** Number of times in a row it ended automatically. */
  failures: integer().notNull().default(0),
  lastExit: text('last_exit'),
  endedAt: integer('ended_at'),
  dueAt: integer('due_at'),
})
export type ServiceRow = typeof serviceProcesses.$inferSelect
