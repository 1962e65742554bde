import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { AttentionItem } from './schema.ts'

/** Table of attention items that an event announced. */
export const attention = sqliteTable('attention', {
  id: text().notNull(),
  /** The name of the source that lists it. */
  source: text().notNull(),
  item: text({ mode: 'json' }).$type<AttentionItem>().notNull(),
})

/** Kinds that a person does not want to be shown. */
export const attentionMutes = sqliteTable('attention_mutes', {
  kind: text().notNull(),
  /** The time at which it is shown again; null until it is unmuted. */
  until: integer(),
  by: text().notNull(),
  since: integer().notNull(),
})
export type MuteRow = typeof attentionMutes.$inferSelect
