import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The addresses of the humans of agents, as the agents gave them. */
export const ownerEmails = sqliteTable(
  'owner_emails',
  {
    agent: integer().primaryKey(),
    email: text().notNull(),
    /** The hash of the token in the link that verifies it; null when it was used, or none was sent. */
    token: text().unique(),
    sent_at: integer(),
    verified_at: integer(),
  },
  (row) => [index('owner_emails_sent').on(row.email, row.sent_at)],
)
