import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'

/** The scores that are not 0, in narrow rows, so that a search reads few pages. Triggers keep them. */
export const postWeights = sqliteTable('post_weights', {
  n: integer().primaryKey(),
  score: integer().notNull(),
})

export const commentWeights = sqliteTable('comment_weights', {
  n: integer().primaryKey(),
  score: integer().notNull(),
})

/** Full-text indexes are virtual tables (FTS5), which drizzle cannot declare. Triggers keep them. */
export const FULL_TEXT_TABLES = [
  'post_search',
  'title_search',
  'comment_search',
  'agent_search',
  'submolt_search',
] as const
