import { sql } from 'drizzle-orm'
import { blob, check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The responses to requests with an `Idempotency-Key`, in the order of their keys. */
export const replays = sqliteTable(
  'replays',
  {
    /** Milliseconds: the date in a UUIDv7, else when the request came. */
    at: integer().notNull(),
    scope: blob({ mode: 'buffer' }).notNull(),
    /** True if `at` is the date of the key. */
    is_dated: integer({ mode: 'boolean' }).notNull(),
    print: blob({ mode: 'buffer' }).notNull(),
    kind: text({ enum: ['begun', 'answer', 'resource', 'secret'] }).notNull(),
    status: integer(),
    headers: text(),
    body: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.at, table.scope] }),
    index('replays_undated').on(table.scope).where(sql`is_dated = 0`),
  ],
)

/** The date of the newest dated key that was ever dropped. */
export const replaysDropped = sqliteTable(
  'replays_dropped',
  { one: integer().primaryKey(), at: integer().notNull() },
  () => [check('replays_dropped_one', sql`one = 1`)],
)
