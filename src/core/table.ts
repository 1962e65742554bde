import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The answers of requests with an `Idempotency-Key`. */
export const replays = sqliteTable('replays', {
  n: integer().primaryKey({ autoIncrement: true }),
  scope: text().notNull().unique(),
  print: text().notNull(),
  status: integer(),
  headers: text().notNull(),
  body: text().notNull(),
  expires_at: integer().notNull(),
})

/** Requests that were accepted and are not finished. */
export const requests = sqliteTable('requests', {
  id: text().primaryKey(),
  operation: text().notNull(),
  subject: text().notNull(),
  detail: text().notNull(),
  accepted_at: integer().notNull(),
})
