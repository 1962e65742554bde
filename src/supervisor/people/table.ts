import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** People with a token of their own; of the token only the hash. */
export const people = sqliteTable('people', {
  id: integer().primaryKey(),
  name: text().notNull(),
  /** Grants besides reading, as a JSON list. */
  grants: text({ mode: 'json' }).$type<string[]>().notNull(),
  hash: text().notNull(),
  addedAt: integer('added_at').notNull(),
})
