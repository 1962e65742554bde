import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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
