import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { STEMS, WHOLE_WORDS } from './indexes.ts'

/** The scores that are not 0, in narrow rows, so that a search reads few pages. Triggers keep them. */
export const postWeights = sqliteTable('post_weights', {
  n: integer().primaryKey(),
  score: integer().notNull(),
})

export const commentWeights = sqliteTable('comment_weights', {
  n: integer().primaryKey(),
  score: integer().notNull(),
})

/** Table of progress of the indexes of stems over older texts; empty once complete. */
export const searchRebuilds = sqliteTable('search_rebuilds', {
  name: text().primaryKey(),
  done: integer().notNull(),
  last: integer().notNull(),
})

/** Full-text indexes are virtual tables (FTS5), which drizzle cannot declare. Triggers keep them. */
export const FULL_TEXT_TABLES: readonly string[] = [...Object.values(STEMS), ...Object.values(WHOLE_WORDS)]
