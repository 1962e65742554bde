import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Defaults of settings missing in `social.toml`, fixed when the network was created or first opened by a newer gc. */
export const networkDefaults = sqliteTable('network_defaults', {
  name: text().primaryKey(),
  value: integer().notNull(),
})
