import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What applies where `social.toml` does not say, as it was when the network was created or first opened by a newer gc. */
export const networkDefaults = sqliteTable('network_defaults', {
  name: text().primaryKey(),
  value: integer().notNull(),
})
