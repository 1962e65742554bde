import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Actor } from '../actor.ts'

/** Requests that were accepted and are not finished. */
export const requests = sqliteTable('requests', {
  id: text().primaryKey(),
  operation: text().notNull(),
  subject: text().notNull(),
  detail: text().notNull(),
  accepted_at: integer().notNull(),
  requester: text({ mode: 'json' }).$type<Actor>(),
})
