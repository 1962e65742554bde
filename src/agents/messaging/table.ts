import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Actor } from '../../core/actor.ts'

/** Messages to sessions, in the order they are to be delivered. */
export const sessionMessages = sqliteTable(
  'session_messages',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text('session_id').notNull(),
    /** The accepted request that this message completes. */
    requestId: text('request_id'),
    intent: text().notNull(),
    body: text().notNull(),
    state: text().$type<'queued' | 'typing' | 'delivered' | 'failed'>().notNull(),
    dueAt: integer('due_at').notNull(),
    endedAt: integer('ended_at'),
    /** Who sent it. */
    sender: text({ mode: 'json' }).$type<Actor>(),
  },
  (table) => [
    index('session_messages_waiting').on(table.sessionId, table.id).where(sql`state = 'queued'`),
    index('session_messages_typing').on(table.id).where(sql`state = 'typing'`),
    index('session_messages_ended').on(table.endedAt).where(sql`ended_at IS NOT NULL`),
    index('session_messages_request').on(table.requestId).where(sql`request_id IS NOT NULL`),
  ],
)
export type MessageRow = typeof sessionMessages.$inferSelect
