import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Texts of the last days, so that one that repeats another is noticed. */
export const textPrints = sqliteTable('text_prints', {
  n: integer().notNull(),
  /** 0 for a post, 1 for a comment. */
  kind: integer().notNull(),
  target: integer().notNull(),
  /** The post or comment that is shown in place of the target; often the target itself. */
  shown: integer().notNull(),
  author: integer().notNull(),
  bands: text({ mode: 'json' }).notNull(),
  /** Its words in order, as hashes. */
  words: blob({ mode: 'buffer' }).notNull(),
  /** Number of later repeats. */
  repeats: integer().notNull().default(0),
  at: integer().notNull(),
})
