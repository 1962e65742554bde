import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { OutboundResult } from './message-schema.ts'
import type { ConversationRef, ExternalActor, ExternalAttachment } from './schema.ts'

type Metadata = Record<string, string>

/** The conversations that somebody answers, or that had messages lately. */
export const conversations = sqliteTable('extmsg_conversations', {
  n: integer().primaryKey(),
  scope_id: text().notNull(),
  provider: text().notNull(),
  account_id: text().notNull(),
  conversation_id: text().notNull(),
  kind: text().$type<ConversationRef['kind']>().notNull(),
  parent_conversation_id: text().notNull(),
  /** The sequence of its last message. */
  head: integer().notNull(),
  /** Number of its bindings. */
  generation: integer().notNull(),
  updatedAt: integer('updated_at').notNull(),
})
export type ConversationRow = typeof conversations.$inferSelect

/** Table of the session or agent that replies in a conversation. */
export const bindings = sqliteTable('extmsg_bindings', {
  conversation: integer().notNull(),
  id: text().notNull(),
  sessionId: text('session_id').notNull(),
  agentName: text('agent_name').notNull(),
  generation: integer().notNull(),
  boundAt: integer('bound_at').notNull(),
  /** True if a default route made it. */
  routed: integer({ mode: 'boolean' }).notNull(),
  metadata: text({ mode: 'json' }).$type<Metadata>().notNull(),
})
export type BindingRow = typeof bindings.$inferSelect

export const groups = sqliteTable('extmsg_groups', {
  id: text().notNull(),
  conversation: integer().notNull(),
  mode: text().notNull(),
  defaultHandle: text('default_handle').notNull(),
  lastHandle: text('last_handle').notNull(),
  metadata: text({ mode: 'json' }).$type<Metadata>().notNull(),
})
export type GroupRow = typeof groups.$inferSelect

export const participants = sqliteTable('extmsg_participants', {
  groupId: text('group_id').notNull(),
  handle: text().notNull(),
  id: text().notNull(),
  sessionId: text('session_id').notNull(),
  public: integer({ mode: 'boolean' }).notNull(),
  metadata: text({ mode: 'json' }).$type<Metadata>().notNull(),
})
export type ParticipantRow = typeof participants.$inferSelect

/** The transcripts. */
export const messages = sqliteTable('extmsg_messages', {
  n: integer().primaryKey(),
  conversation: integer().notNull(),
  sequence: integer().notNull(),
  kind: text().$type<'inbound' | 'outbound'>().notNull(),
  providerMessageId: text('provider_message_id').notNull(),
  /** Identifies a repeated delivery; empty for what is never taken for one. */
  dedupKey: text('dedup_key').notNull(),
  actor: text({ mode: 'json' }).$type<ExternalActor>().notNull(),
  body: text().notNull(),
  explicitTarget: text('explicit_target').notNull(),
  replyTo: text('reply_to').notNull(),
  attachments: text({ mode: 'json' }).$type<ExternalAttachment[]>(),
  sourceSession: text('source_session').notNull(),
  /** Time of receipt or sending, as reported by its adapter. */
  createdAt: integer('created_at').notNull(),
  recordedAt: integer('recorded_at').notNull(),
})
export type TranscriptRow = typeof messages.$inferSelect

/** The sessions that follow a conversation. */
export const memberships = sqliteTable('extmsg_memberships', {
  conversation: integer().notNull(),
  sessionId: text('session_id').notNull(),
  /** Cause of the membership, which ends with it. */
  owner: text().$type<'binding' | 'group'>().notNull(),
  /** The last message that it says it has read. */
  acked: integer().notNull(),
  /** The messages that its last nudge showed. */
  nudgedFrom: integer('nudged_from').notNull(),
  nudgedTo: integer('nudged_to').notNull(),
})
export type MembershipRow = typeof memberships.$inferSelect

/** Table of the outcomes of messages with a key; in progress without a result. */
export const receipts = sqliteTable('extmsg_receipts', {
  n: integer().primaryKey(),
  conversation: integer().notNull(),
  sessionId: text('session_id').notNull(),
  key: text().notNull(),
  digest: text().notNull(),
  result: text({ mode: 'json' }).$type<OutboundResult>(),
  createdAt: integer('created_at').notNull(),
})
export type ReceiptRow = typeof receipts.$inferSelect

/** The conversations whose last message reached no one. */
export const undelivered = sqliteTable('extmsg_undelivered', {
  conversation: integer().notNull(),
  reason: text().notNull(),
  /** The last message where no one answers, since that is in no transcript; empty elsewhere. */
  said: text().notNull(),
  since: integer().notNull(),
})
export type UndeliveredRow = typeof undelivered.$inferSelect
