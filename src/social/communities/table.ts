import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const submolts = sqliteTable('submolts', {
  n: integer().notNull(),
  id: text().notNull(),
  name: text().notNull(),
  display_name: text().notNull(),
  description: text().notNull(),
  allow_crypto: integer().notNull().default(0),
  /** Null for the one that the migrations create. */
  creator: integer(),
  subscriber_count: integer().notNull().default(0),
  post_count: integer().notNull().default(0),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
  last_activity_at: integer().notNull(),
  rules: text().notNull().default(''),
  /** Like `#1a2b3c`. */
  banner_color: text(),
  theme_color: text(),
  /** The files of its pictures. */
  avatar: text(),
  banner: text(),
})
