import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The last lines on the screen of each session when its last run ended. */
export const sessionLastOutput = sqliteTable(
  'session_last_output',
  { session: text().primaryKey(), endedAt: integer('ended_at').notNull(), text: text().notNull() },
  ({ endedAt }) => [index('session_last_output_ended').on(endedAt)],
)
