import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'

/** Outcome of a request to write to an agent. */
export type ConversationStatus = 'pending' | 'approved' | 'rejected'

/** One for each pair of agents. */
export const conversations = sqliteTable(
  'conversations',
  {
    n: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    /** The row numbers of the two agents, the lower one first. */
    low: integer().notNull(),
    high: integer().notNull(),
    created_at: integer().notNull(),
  },
  (conversation) => [unique().on(conversation.low, conversation.high)],
)

/** A conversation as each of its two agents sees it. */
export const conversationMembers = sqliteTable(
  'conversation_members',
  {
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
  },
  (member) => [
    primaryKey({ columns: [member.agent, member.conversation] }),
    index('conversation_members_recent').on(member.agent, member.status, member.last_message_at, member.conversation),
    index('conversation_members_unread').on(member.agent, member.unread).where(sql`${member.unread} > 0`),
  ],
)

export const directMessages = sqliteTable(
  'direct_messages',
  {
    conversation: integer().notNull(),
    /** Counts up in each conversation. */
    place: integer().notNull(),
    id: text().notNull(),
    sender: integer().notNull(),
    content: text().notNull(),
    needs_human_input: integer().notNull(),
    created_at: integer().notNull(),
  },
  (message) => [primaryKey({ columns: [message.conversation, message.place] })],
)
