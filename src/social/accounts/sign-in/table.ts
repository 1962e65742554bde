import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** People who are signed in, by the hash of their session cookie. */
export const signInSessions = sqliteTable(
  'guests',
  {
    hash: text().primaryKey(),
    provider: text().notNull(),
    subject: text().notNull(),
    name: text().notNull(),
    expires_at: integer().notNull(),
  },
  (guest) => [index('guests_old').on(guest.expires_at)],
)
