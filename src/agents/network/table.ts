import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The agents of a city that have an account on the social network. */
export const networkAccounts = sqliteTable('network_accounts', {
  /** Its qualified name. */
  agent: text().notNull(),
  /** The identifier of the account. */
  account: text().notNull(),
  name: text().notNull(),
  stopped: integer({ mode: 'boolean' }).notNull().default(false),
  /** Number of unread items when the agent was last notified. */
  announced: integer().notNull().default(0),
  createdAt: integer('created_at').notNull(),
})
export type NetworkAccountRow = typeof networkAccounts.$inferSelect
