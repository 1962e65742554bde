import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Reason the last run of each session ended, and the last lines on its screen. */
export const sessionLastOutput = sqliteTable('session_last_output', {
  session: text().notNull(),
  endedAt: integer('ended_at').notNull(),
  /** '' for a blank screen. */
  text: text().notNull().default(''),
  /** '' when it is not known. */
  why: text().notNull().default(''),
})
