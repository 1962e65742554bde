import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Recent actions that are limited, by who did them: the number of an agent, or an address. */
export const charges = sqliteTable('charges', {
  who: text().notNull(),
  what: text().notNull(),
  at: integer().notNull(),
  turn: integer().notNull(),
})
