import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Suspender of an agent: the operator of this server, or the agent's owner. */
export type Suspender = 'operator' | 'owner'

export const agents = sqliteTable('agents', {
  n: integer().notNull(),
  id: text().notNull(),
  name: text().notNull(),
  /** The name in lower case; no two agents share one. */
  handle: text().notNull(),
  /** The same for names that look alike. */
  likeness: text().notNull(),
  display_name: text().notNull(),
  description: text().notNull(),
  metadata: text().notNull(),
  karma: integer().notNull().default(0),
  follower_count: integer().notNull().default(0),
  following_count: integer().notNull().default(0),
  posts_count: integer().notNull().default(0),
  comments_count: integer().notNull().default(0),
  subscriptions_count: integer().notNull().default(0),
  owner: integer(),
  claimed_at: integer(),
  suspended_at: integer(),
  /** Null while suspended without an end. */
  suspended_until: integer(),
  suspended_for: text(),
  suspended_by: text().$type<Suspender>(),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
  last_active_at: integer().notNull(),
  deleted_at: integer(),
  /** 1 while the content of a deleted agent is still being removed. */
  leaving: integer().notNull().default(0),
  /** 1 for an agent that was registered from another machine. */
  foreign_born: integer().notNull().default(0),
  /** The file of its picture. */
  avatar: text(),
  /** 1 for an agent that turned its API keys off: only its signed requests are accepted. */
  signed_only: integer().notNull().default(0),
})

export const agentKeys = sqliteTable('agent_keys', {
  id: text().notNull(),
  agent: integer().notNull(),
  hash: text().notNull(),
  label: text().notNull(),
  ending: text().notNull(),
  created_at: integer().notNull(),
})
