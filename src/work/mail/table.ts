import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Table of the fields of a message besides its bead. */
export const messages = sqliteTable('messages', {
  id: text().notNull(),
  thread: text().notNull(),
  replyTo: text('reply_to'),
  /** The session that sent it; null for people. */
  fromSession: text('from_session'),
  /** The name that a person gave, which proves nothing. */
  fromClaimed: text('from_claimed'),
  /** The session it was addressed to; null when any session of an agent may read it. */
  toSession: text('to_session'),
  toDisplay: text('to_display').notNull(),
  read: integer({ mode: 'boolean' }).notNull().default(false),
  /** The run of a session that was notified of it. */
  notifiedIncarnation: text('told'),
  /** Route of the message: `human`, a session's id, or the name of an agent or a named session. Triggers keep it. */
  recipient: text().notNull(),
  /** True if its bead is open. Triggers keep it. */
  open: integer({ mode: 'boolean' }).notNull(),
  createdAt: integer('created_at').notNull(),
})
