import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const beadComments = sqliteTable('bead_comments', {
  /** 1024 times the number of its bead, plus its position among the comments of the bead, from 1. */
  n: integer().primaryKey(),
  id: text().notNull(),
  author: text().notNull(),
  createdAt: integer('created_at').notNull(),
  /** The bytes of the text. */
  size: integer().notNull(),
  text: text().notNull(),
})
