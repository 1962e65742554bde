import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { SessionState } from './transitions.ts'

/** What a session has beside its bead. */
export const sessions = sqliteTable('sessions', {
  id: text().primaryKey(),
  kind: text().$type<'agent' | 'provider'>().notNull(),
  /** The qualified agent, or the provider of a bare one. */
  template: text().notNull(),
  /** '' for the city itself. */
  rig: text().notNull(),
  provider: text().notNull(),
  origin: text().$type<'manual' | 'named' | 'ephemeral'>().notNull(),
  state: text().$type<SessionState>().notNull(),
  /** Why it is in that state; '' when there is nothing to say. */
  reason: text().notNull().default(''),
  sessionName: text('session_name').notNull(),
  alias: text(),
  aliasHistory: text('alias_history', { mode: 'json' }).$type<string[]>().notNull().default([]),
  /** The agent, or one instance of it, that the session is; '' for a manual session. */
  agentName: text('agent_name').notNull().default(''),
  /** The configured identity of a named session. */
  named: text(),
  slot: integer(),
  workDir: text('work_dir').notNull(),
  options: text({ mode: 'json' }).$type<Record<string, string>>().notNull().default({}),
  firstMessage: text('first_message'),
  project: text(),
  /** The bead it was made for; '' when a scale check asked for it. */
  work: text(),
  /** How many times it was started. */
  generation: integer().notNull().default(0),
  /** Names its present incarnation in the host. */
  hostKey: text('host_key'),
  pid: integer(),
  processStarted: text('process_started'),
  createdAt: integer('created_at').notNull(),
  wokeAt: integer('woke_at'),
  sleptAt: integer('slept_at'),
  suspendedAt: integer('suspended_at'),
  drainAt: integer('drain_at'),
  closedAt: integer('closed_at'),
  nudgedAt: integer('nudged_at'),
  activeAt: integer('active_at'),
  wakeRequestedAt: integer('wake_requested_at'),
  /** Not started again before this moment. */
  retryAt: integer('retry_at'),
  quarantinedUntil: integer('quarantined_until'),
  /** Deaths soon after a start, in a row. */
  failures: integer().notNull().default(0),
  /** Deaths a little later, in a row. */
  churn: integer().notNull().default(0),
  /** What its program calls the conversation; the next start goes on with it. */
  sessionKey: text('session_key'),
  /** Whether the present run went on with a conversation. */
  resumed: integer({ mode: 'boolean' }).notNull().default(false),
  /** It said that it is at work until then. */
  busyUntil: integer('busy_until'),
  /** What it was started from, a hash for each part. */
  fingerprint: text({ mode: 'json' }).$type<Record<string, string>>().notNull().default({}),
})
export type SessionRow = typeof sessions.$inferSelect

/** Credentials by hash, one per incarnation; an ended one is kept so that it can be told from an unknown one. */
export const sessionTokens = sqliteTable('session_tokens', {
  hash: text().primaryKey(),
  sessionId: text('session_id').notNull(),
  generation: integer().notNull(),
  endedAt: integer('ended_at'),
})

/** Messages to sessions, in the order they are to be delivered. */
export const sessionMessages = sqliteTable('session_messages', {
  id: integer().primaryKey({ autoIncrement: true }),
  sessionId: text('session_id').notNull(),
  /** The accepted request that this message ends. */
  requestId: text('request_id'),
  intent: text().notNull(),
  body: text().notNull(),
  state: text().$type<'queued' | 'typing' | 'delivered' | 'failed'>().notNull(),
  reason: text().notNull().default(''),
  createdAt: integer('created_at').notNull(),
  dueAt: integer('due_at').notNull(),
  endedAt: integer('ended_at'),
})
export type MessageRow = typeof sessionMessages.$inferSelect
