import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { NotificationType } from './schema.ts'

export const notifications = sqliteTable('notifications', {
  agent: integer().notNull(),
  /** Counts up for each agent. */
  place: integer().notNull(),
  kind: text().notNull().$type<NotificationType>(),
  actor: integer().notNull(),
  /** 0 where it is about no post. */
  post: integer().notNull(),
  /** 0 where it is about no comment. */
  comment: integer().notNull(),
  created_at: integer().notNull(),
  read_at: integer(),
})
