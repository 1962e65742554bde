import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Traffic of a session's finished runs, by host. */
export const sessionTraffic = sqliteTable('session_traffic', {
  session: text().notNull(),
  host: text().notNull(),
  /** The last run that was added: one that is reported twice counts once. */
  run: text().notNull(),
  connections: integer().notNull(),
  denied: integer().notNull(),
  sent: integer().notNull(),
  received: integer().notNull(),
  firstAt: integer('first_at').notNull(),
  lastAt: integer('last_at').notNull(),
})
