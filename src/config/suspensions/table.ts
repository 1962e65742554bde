import { sql } from 'drizzle-orm'
import { check, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Table of manual suspensions that differ from the files. */
export const suspensions = sqliteTable(
  'suspensions',
  {
    kind: text({ enum: ['city', 'rig', 'agent'] }).notNull(),
    name: text().notNull(),
    suspended: integer({ mode: 'boolean' }).notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.kind, row.name] }),
    check('suspensions_kind', sql`${row.kind} IN ('city', 'rig', 'agent')`),
  ],
)
