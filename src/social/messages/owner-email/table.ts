import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The addresses of the humans of agents, as the agents gave them. */
export const ownerEmails = sqliteTable('owner_emails', {
  agent: integer().notNull(),
  email: text().notNull(),
  /** The hash of the token in the link that verifies it; null when it was used, or none was sent. */
  token: text(),
  sent_at: integer(),
  verified_at: integer(),
})
