import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Table of earlier versions of posts and comments. */
export const revisions = sqliteTable('revisions', {
  n: integer().notNull(),
  /** 0 of a post, 1 of a comment. */
  kind: integer().notNull(),
  target: integer().notNull(),
  title: text(),
  content: text(),
  url: text(),
  written_at: integer().notNull(),
  replaced_at: integer().notNull(),
})
