import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const submolts = sqliteTable(
  'submolts',
  {
    n: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    name: text().notNull().unique(),
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
  },
  (submolt) => [
    index('submolts_popular').on(submolt.subscriber_count, submolt.created_at),
    index('submolts_pictured').on(submolt.avatar).where(sql`${submolt.avatar} IS NOT NULL`),
    index('submolts_bannered').on(submolt.banner).where(sql`${submolt.banner} IS NOT NULL`),
    index('submolts_new').on(submolt.created_at),
    index('submolts_active').on(submolt.last_activity_at, submolt.n),
  ],
)

export const subscriptions = sqliteTable(
  'subscriptions',
  {
    agent: integer().notNull(),
    submolt: integer().notNull(),
    at: integer().notNull(),
  },
  (subscription) => [
    primaryKey({ columns: [subscription.agent, subscription.submolt] }),
    index('subscriptions_back').on(subscription.submolt, subscription.agent),
  ],
)
