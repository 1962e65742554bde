import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** How far each monitor has read the changes of its repository. */
export const pullRequestCursors = sqliteTable('pull_request_cursors', {
  monitor: text().primaryKey(),
  /** The address that was read: another repository begins anew. */
  source: text().notNull(),
  /** What GitHub called the newest page. */
  etag: text().notNull(),
  /** The newest change that was recorded. */
  updatedAt: integer('updated_at').notNull(),
  /** The numbers of the pull requests that changed at that moment, which is only told to the second. */
  seen: text({ mode: 'json' }).notNull().$type<number[]>(),
})
export type CursorRow = typeof pullRequestCursors.$inferSelect

/** What is known of the open pull requests that a monitor looks after. */
export const pullRequestReadiness = sqliteTable(
  'pull_request_readiness',
  {
    monitor: text().notNull(),
    number: integer().notNull(),
    headSha: text('head_sha').notNull(),
    /** What kept it from being merged; '' for nothing. */
    failure: text().notNull(),
    /** What its repair says of it, as JSON. */
    shown: text().notNull(),
    /** The bead of its repair; '' without one. */
    repair: text().notNull(),
    /** Whether the repair was given to its route. */
    isGiven: integer('is_given', { mode: 'boolean' }).notNull(),
  },
  (readiness) => [primaryKey({ columns: [readiness.monitor, readiness.number] })],
)
export type ReadinessRow = typeof pullRequestReadiness.$inferSelect
