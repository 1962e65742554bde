import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Graphs that are being written, in more than one write; the beads of each have numbers in a row. */
export const instantiations = sqliteTable('instantiations', {
  rootId: text('root_id').notNull(),
  prefix: text().notNull(),
  first: integer().notNull(),
  count: integer().notNull(),
  state: text({ enum: ['writing', 'opening'] }).notNull(),
})

export type Instantiation = typeof instantiations.$inferSelect
