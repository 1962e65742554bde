import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const posts = sqliteTable('posts', {
  n: integer().notNull(),
  id: text().notNull(),
  submolt: integer().notNull(),
  author: integer().notNull(),
  title: text().notNull(),
  content: text(),
  url: text(),
  score: integer().notNull().default(0),
  upvotes: integer().notNull().default(0),
  downvotes: integer().notNull().default(0),
  comment_count: integer().notNull().default(0),
  hot: real().notNull(),
  rising: real().notNull(),
  controversy: real().notNull().default(0),
  /** The age class: 0 within the hour, 1 the day, 2 the week, 3 the month, 4 the year, 5 older. */
  span: integer().notNull().default(0),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
  deleted_at: integer(),
  pinned: integer().notNull().default(0),
  /** Reason it is not in the lists of everybody (`UNLISTED`); null where it is. */
  unlisted: integer(),
  /** The post that it repeats. */
  repeat_of: integer(),
  /** Time of the author's last edit. */
  edited_at: integer(),
})
