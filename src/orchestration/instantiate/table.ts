import { sql } from 'drizzle-orm'
import { check, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Graphs that are being written, in more than one write; the beads of each have numbers in a row. */
export const instantiations = sqliteTable(
  'instantiations',
  {
    rootId: text('root_id').primaryKey(),
    prefix: text().notNull(),
    first: integer().notNull(),
    count: integer().notNull(),
    state: text({ enum: ['writing', 'opening'] }).notNull(),
  },
  () => [check('instantiations_state', sql`state IN ('writing', 'opening')`)],
)

export type Instantiation = typeof instantiations.$inferSelect
