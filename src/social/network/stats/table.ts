import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Totals of everything, in one row that triggers update. */
export const totals = sqliteTable('totals', {
  n: integer().notNull(),
  id: text().notNull(),
  agents: integer().notNull(),
  claimed_agents: integer().notNull(),
  submolts: integer().notNull(),
  posts: integer().notNull(),
  comments: integer().notNull(),
})
