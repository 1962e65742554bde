import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What a message has beside its bead. */
export const messages = sqliteTable('messages', {
  id: text().primaryKey(),
  thread: text().notNull(),
  replyTo: text('reply_to'),
  /** The session that sent it; null for people. */
  fromSession: text('from_session'),
  /** The name a person gave as their own, which says nothing about who they are. */
  fromClaimed: text('from_claimed'),
  /** The session it was addressed to; null when it is for whoever is an agent. */
  toSession: text('to_session'),
  toDisplay: text('to_display').notNull(),
  read: integer({ mode: 'boolean' }).notNull().default(false),
  /** The run of a session that was notified of it. */
  notifiedIncarnation: text('told'),
  /** Where it waits: `human`, a session's id, or the name of an agent or a named session. */
  recipient: text().notNull(),
  open: integer({ mode: 'boolean' }).notNull(),
  createdAt: integer('created_at').notNull(),
})
export type MessageRow = typeof messages.$inferSelect
