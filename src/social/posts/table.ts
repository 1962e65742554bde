import { sql } from 'drizzle-orm'
import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const posts = sqliteTable(
  'posts',
  {
    n: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
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
  },
  (post) => [
    index('posts_hot').on(post.unlisted, post.deleted_at, post.hot, post.created_at),
    index('posts_new').on(post.unlisted, post.deleted_at, post.created_at),
    index('posts_top').on(post.unlisted, post.deleted_at, post.span, post.score, post.created_at),
    index('posts_rising').on(post.unlisted, post.deleted_at, post.rising, post.created_at),
    index('posts_controversial').on(post.unlisted, post.deleted_at, post.span, post.controversy, post.created_at),
    index('posts_submolt_hot').on(post.submolt, post.unlisted, post.deleted_at, post.hot, post.created_at),
    index('posts_submolt_new').on(post.submolt, post.unlisted, post.deleted_at, post.created_at),
    index('posts_submolt_top').on(post.submolt, post.unlisted, post.deleted_at, post.span, post.score, post.created_at),
    index('posts_submolt_rising').on(post.submolt, post.unlisted, post.deleted_at, post.rising, post.created_at),
    index('posts_submolt_controversial').on(
      post.submolt,
      post.unlisted,
      post.deleted_at,
      post.span,
      post.controversy,
      post.created_at,
    ),
    index('posts_author_hot').on(post.author, post.deleted_at, post.hot, post.created_at),
    index('posts_author_new').on(post.author, post.deleted_at, post.created_at),
    index('posts_author_top').on(post.author, post.deleted_at, post.span, post.score, post.created_at),
    index('posts_author_rising').on(post.author, post.deleted_at, post.rising, post.created_at),
    index('posts_author_controversial').on(post.author, post.deleted_at, post.span, post.controversy, post.created_at),
    index('posts_pinned').on(post.submolt, post.n).where(sql`${post.pinned} = 1 AND ${post.deleted_at} IS NULL`),
    index('posts_repeats')
      .on(post.repeat_of, post.n)
      .where(sql`${post.repeat_of} IS NOT NULL AND ${post.deleted_at} IS NULL`),
    index('posts_aging').on(post.span, post.created_at).where(sql`${post.deleted_at} IS NULL AND ${post.span} < 5`),
  ],
)
