import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The runs of orders, each with a tracking bead. */
export const orderRuns = sqliteTable('order_runs', {
  trackingId: text('tracking_id').notNull(),
  scopedName: text('scoped_name').notNull(),
  rig: text().notNull(),
  kind: text({ enum: ['exec', 'formula'] }).notNull(),
  /** Cause: the kind of its trigger, or `run` for a person or program. */
  cause: text().notNull(),
  state: text({ enum: ['starting', 'running', 'done'] }).notNull(),
  /** Its arguments, until it is over. */
  vars: text({ mode: 'json' }).$type<Readonly<Record<string, string>>>().notNull().default({}),
  /** The newest event that it covers. */
  seq: integer(),
  createdAt: integer('created_at').notNull(),
  timeoutMs: integer('timeout_ms').notNull(),
  pid: integer(),
  processStarted: text('process_started'),
  tokenHash: text('token_hash'),
  startedAt: integer('started_at'),
  endedAt: integer('ended_at'),
  outcome: text({ enum: ['success', 'failed', 'canceled'] }),
  exitCode: integer('exit_code'),
  signal: text(),
  error: text(),
  hasOutput: integer('has_output', { mode: 'boolean' }).notNull().default(false),
  /** Root created by a formula, and whether it is open. */
  rootId: text('root_id'),
  rootOpen: integer('root_open', { mode: 'boolean' }).notNull().default(false),
  /** Its place in feeds. */
  feedRank: integer('feed_rank').generatedAlwaysAs(
    sql`CASE WHEN state != 'done' THEN 0 WHEN outcome = 'success' THEN 3 ELSE 2 END`,
  ),
  updatedAt: integer('updated_at').generatedAlwaysAs(sql`coalesce(ended_at, created_at)`),
})
export type OrderRunRow = typeof orderRuns.$inferSelect

/** The last 64 KB of each stream of the commands of orders. */
export const orderOutputs = sqliteTable('order_outputs', {
  trackingId: text('tracking_id').notNull(),
  stdout: text().notNull(),
  stderr: text().notNull(),
  truncated: integer({ mode: 'boolean' }).notNull(),
})
export type OrderOutput = typeof orderOutputs.$inferSelect

/** Table of the position of each order's trigger. */
export const orderTriggers = sqliteTable('order_triggers', {
  scopedName: text('scoped_name').notNull(),
  /** Start of its latest run, as cooldowns and schedules count it. */
  lastRun: integer('last_run'),
  /** The type of event that it waits for, the newest of them that a run covers, and what came since. */
  eventType: text('event_type'),
  cursor: integer().notNull().default(0),
  waiting: integer().notNull().default(0),
  newest: integer().notNull().default(0),
  /** The schedule that it was last seen with, and since when it can have missed a time of it. */
  schedule: text(),
  since: integer(),
})
export type OrderTriggerRow = typeof orderTriggers.$inferSelect
