import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Table of the fields of a message besides its bead. */
export const messages = sqliteTable(
  'messages',
  {
    id: text().primaryKey(),
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
  },
  (message) => [
    index('messages_open').on(message.createdAt, message.id).where(sql`open = 1`),
    index('messages_unread').on(message.createdAt, message.id).where(sql`open = 1 AND read = 0`),
    index('messages_read').on(message.createdAt, message.id).where(sql`open = 1 AND read = 1`),
    index('messages_archived').on(message.createdAt, message.id).where(sql`open = 0`),
    index('messages_inbox').on(message.recipient, message.createdAt, message.id).where(sql`open = 1`),
    index('messages_inbox_unread')
      .on(message.recipient, message.createdAt, message.id)
      .where(sql`open = 1 AND read = 0`),
    index('messages_thread').on(message.thread, message.createdAt, message.id).where(sql`open = 1`),
  ],
)

/** Table of open mail by recipient; '' is everyone. Triggers keep it. */
export const mailCounts = sqliteTable('mail_counts', {
  recipient: text().primaryKey(),
  total: integer().notNull(),
  unread: integer().notNull(),
})

/** Threads with open mail by recipient ('' is everyone), and the newest message of the whole thread. Triggers keep it. */
export const mailThreads = sqliteTable(
  'mail_threads',
  {
    thread: text().notNull(),
    recipient: text().notNull(),
    n: integer().notNull(),
    newestAt: integer('newest_at'),
    newest: text(),
  },
  (row) => [
    primaryKey({ columns: [row.thread, row.recipient] }),
    index('mail_threads_newest').on(row.recipient, row.newestAt, row.newest),
  ],
)
