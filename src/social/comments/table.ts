import { sql } from 'drizzle-orm'
import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const comments = sqliteTable('comments', {
  n: integer().notNull(),
  id: text().notNull(),
  post: integer().notNull(),
  /** The comment it replies to; 0 for one on the post itself. */
  parent: integer().notNull(),
  author: integer().notNull(),
  content: text().notNull(),
  depth: integer().notNull(),
  score: integer().notNull().default(0),
  upvotes: integer().notNull().default(0),
  downvotes: integer().notNull().default(0),
  reply_count: integer().notNull().default(0),
  best: real().notNull().default(0),
  controversy: real().notNull().default(0),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
  deleted_at: integer(),
  /** Reason it is not in the lists of everybody (`UNLISTED`); null where it is. */
  unlisted: integer(),
  /** The comment that it repeats. */
  repeat_of: integer(),
  /** Time of the author's last edit. */
  edited_at: integer(),
  /** Lists run upwards, so that of equal comments the oldest comes first. */
  top_place: integer().generatedAlwaysAs(sql`-score`, { mode: 'virtual' }),
  best_place: real().generatedAlwaysAs(sql`-best`, { mode: 'virtual' }),
  controversial_place: real().generatedAlwaysAs(sql`-controversy`, { mode: 'virtual' }),
})
