import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { AttentionItem } from './schema.ts'

/** What waits for a person and was announced by an event. */
export const attention = sqliteTable('attention', {
  id: text().primaryKey(),
  /** The name of the source that lists it. */
  source: text().notNull(),
  item: text({ mode: 'json' }).$type<AttentionItem>().notNull(),
})
