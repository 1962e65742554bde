import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const votes = sqliteTable('votes', {
  agent: integer().notNull(),
  /** 0 for a post, 1 for a comment. */
  kind: integer().notNull(),
  target: integer().notNull(),
  value: integer().notNull(),
  at: integer().notNull(),
})

/** The votes of deleted and suspended agents that are being undone. */
export const voteWithdrawals = sqliteTable('vote_withdrawals', {
  agent: integer().notNull(),
  /** The first and the last time of these votes. */
  since: integer().notNull(),
  until: integer().notNull(),
  /** Actor that deleted or suspended the agent. */
  actor: text().notNull(),
})

/** The votes of an agent that are undone, and on behalf of whom. */
export type Withdrawal = typeof voteWithdrawals.$inferSelect
