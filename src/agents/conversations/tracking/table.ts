import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The part of a log in the conversation of its session: `uncertain` ones may be another session's in the same folder. */
export type LogRole = 'main' | 'side' | 'uncertain'

/** The logs of a session's conversation. */
export const sessionLogs = sqliteTable(
  'session_logs',
  {
    sessionId: text('session_id').notNull(),
    path: text().notNull(),
    key: text().notNull(),
    role: text().$type<LogRole>().notNull(),
    /** Records before this time are not the session's; 0 when all are. */
    since: integer().notNull(),
    foundAt: integer('found_at').notNull(),
    /** Identifies the file that was read. */
    file: text().notNull().default(''),
    /** The position up to which its usage was counted. */
    offset: integer().notNull().default(0),
  },
  (log) => [
    primaryKey({ columns: [log.sessionId, log.path, log.key] }),
    check('session_logs_role', sql`role IN ('main', 'side', 'uncertain')`),
    index('session_logs_by_file').on(log.path, log.key),
  ],
)

/**
 * The sessions whose logs were not read to their end yet. Earlier versions knew one log of each, which they counted up to
 * this position of this file.
 */
export const usagePlaces = sqliteTable('usage_places', {
  sessionId: text('session_id').primaryKey(),
  file: text().notNull(),
  offset: integer().notNull(),
})
