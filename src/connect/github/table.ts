import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Table of each monitor's position in the changes of its repository. */
export const pullRequestCursors = sqliteTable('pull_request_cursors', {
  monitor: text().notNull(),
  /** The address that was read: another repository begins again. */
  source: text().notNull(),
  /** ETag of GitHub's newest page. */
  etag: text().notNull(),
  /** The newest change that was recorded. */
  updatedAt: integer('updated_at').notNull(),
  /** The numbers of the pull requests that changed at that moment, which is only told to the second. */
  seen: text({ mode: 'json' }).notNull().$type<number[]>(),
})
export type CursorRow = typeof pullRequestCursors.$inferSelect

/** Table of the open pull requests that a monitor watches. */
export const pullRequestReadiness = sqliteTable('pull_request_readiness', {
  monitor: text().notNull(),
  number: integer().notNull(),
  headSha: text('head_sha').notNull(),
  /** Obstacle to merging; '' for none. */
  failure: text().notNull(),
  /** Details for its repair, as JSON. */
  shown: text().notNull(),
  /** The bead of its repair; '' without one. */
  repair: text().notNull(),
  /** True if the repair was given to its route. */
  isGiven: integer('is_given', { mode: 'boolean' }).notNull(),
})
export type ReadinessRow = typeof pullRequestReadiness.$inferSelect
