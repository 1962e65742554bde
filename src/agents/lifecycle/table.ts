import { sql } from 'drizzle-orm'
import { check, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** How often sessions of an agent, or with a bead, failed in a row, and when it is tried again. */
export const failureCounts = sqliteTable(
  'troubles',
  {
    kind: text().$type<'agent' | 'bead'>().notNull(),
    subject: text().notNull(),
    deaths: integer().notNull(),
    until: integer().notNull(),
    reason: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.subject] }),
    check('troubles_kind', sql`kind IN ('agent', 'bead')`),
  ],
)
