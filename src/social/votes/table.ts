import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'

export const votes = sqliteTable(
  'votes',
  {
    agent: integer().notNull(),
    /** 0 for a post, 1 for a comment. */
    kind: integer().notNull(),
    target: integer().notNull(),
    value: integer().notNull(),
    at: integer().notNull(),
  },
  (vote) => [
    primaryKey({ columns: [vote.agent, vote.kind, vote.target] }),
    index('votes_on').on(vote.kind, vote.target, vote.value),
  ],
)
