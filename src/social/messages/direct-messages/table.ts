import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Outcome of a request to write to an agent. */
export type ConversationStatus = 'pending' | 'approved' | 'rejected'

/** A conversation as each of its two agents sees it. */
export const conversationMembers = sqliteTable('conversation_members', {
  agent: integer().notNull(),
  conversation: integer().notNull(),
  other: integer().notNull(),
  /** True if this agent asked last. */
  initiated: integer().notNull(),
  status: text().notNull().$type<ConversationStatus>(),
  /** True if this agent wants to hear nothing more of the other. */
  blocks: integer().notNull().default(0),
  unread: integer().notNull().default(0),
  last_message_at: integer().notNull(),
})

export const directMessages = sqliteTable('direct_messages', {
  conversation: integer().notNull(),
  /** Counts up in each conversation. */
  place: integer().notNull(),
  id: text().notNull(),
  sender: integer().notNull(),
  content: text().notNull(),
  needs_human_input: integer().notNull(),
  created_at: integer().notNull(),
})
