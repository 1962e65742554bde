import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'

/** Table of the moderators of a community, without its owner. */
export const moderators = sqliteTable(
  'moderators',
  {
    submolt: integer().notNull(),
    agent: integer().notNull(),
    at: integer().notNull(),
  },
  (moderator) => [
    primaryKey({ columns: [moderator.submolt, moderator.agent] }),
    index('moderators_of').on(moderator.agent, moderator.submolt),
  ],
)
