import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The logins that cannot be worked with now: their usage limit is reached, or they are not accepted any more. */
export const loginLimits = sqliteTable('login_limits', {
  login: text().notNull(),
  provider: text().notNull(),
  state: text({ enum: ['limited', 'dead'] }).notNull(),
  since: integer().notNull(),
  /** End of the limit; null for a dead login. */
  until: integer(),
  /** True if the program stated that time; else it was guessed. */
  stated: integer({ mode: 'boolean' }).notNull().default(false),
  /** Number of consecutive limits without work in between. */
  attempts: integer().notNull().default(0),
  reason: text().notNull(),
})
export type LimitRow = typeof loginLimits.$inferSelect
