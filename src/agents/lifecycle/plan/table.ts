import { sql } from 'drizzle-orm'
import { check, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The failed starts of an agent in a row, or the sessions that ended over a bead, and when it is tried again. */
export const failureCounts = sqliteTable(
  'troubles',
  {
    kind: text().$type<'agent' | 'bead'>().notNull(),
    subject: text().notNull(),
    deaths: integer().notNull(),
    until: integer().notNull(),
    reason: text().notNull(),
    /** Number of sessions killed from outside while they worked on a bead. */
    kills: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.subject] }),
    check('troubles_kind', sql`kind IN ('agent', 'bead')`),
  ],
)
