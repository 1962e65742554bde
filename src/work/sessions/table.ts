import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ConfineMode } from '../../config/declare/index.ts'
import type { Actor } from '../../core/actor.ts'
import type { SessionState } from './transitions.ts'

/** Table of the fields of a session besides its bead. */
export const sessions = sqliteTable('sessions', {
  id: text().notNull(),
  kind: text().$type<'agent' | 'provider'>().notNull(),
  /** The qualified agent, or the provider of a session without an agent. */
  template: text().notNull(),
  /** '' for the city itself. */
  rig: text().notNull(),
  provider: text().notNull(),
  origin: text().$type<'manual' | 'named' | 'ephemeral'>().notNull(),
  state: text().$type<SessionState>().notNull(),
  /** Reason it is in that state; '' when there is nothing to say. */
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
  /** The bead it was created for; '' when a scale check asked for it. */
  work: text(),
  /** Number of times it was started. */
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
  /** It is not started again before this time. */
  retryAt: integer('retry_at'),
  quarantinedUntil: integer('quarantined_until'),
  /** Exits soon after a start, in a row. */
  failures: integer().notNull().default(0),
  /** Exits a little later, in a row. */
  churn: integer().notNull().default(0),
  /** Id of the conversation in its program; the next start resumes it. */
  sessionKey: text('session_key'),
  /** True if the present run resumed a conversation. */
  resumed: integer({ mode: 'boolean' }).notNull().default(false),
  /** Until when it reported to be at work. */
  busyUntil: integer('busy_until'),
  /** True if it claimed anything since its start. */
  worked: integer({ mode: 'boolean' }).notNull().default(false),
  /** The login that it runs on, or last ran on; '' before its first start. */
  login: text().notNull().default(''),
  /** A hash of each part of the declaration it was started from. */
  fingerprint: text({ mode: 'json' }).$type<Record<string, string>>().notNull().default({}),
  /** Sandbox of its program at the last start; null before it. */
  confined: text().$type<ConfineMode>(),
})
export type SessionRow = typeof sessions.$inferSelect

/** Messages to sessions, in the order they should be delivered. */
export const sessionMessages = sqliteTable('session_messages', {
  id: integer().primaryKey(),
  sessionId: text('session_id').notNull(),
  /** The accepted request that this message completes. */
  requestId: text('request_id'),
  intent: text().notNull(),
  body: text().notNull(),
  state: text().$type<'queued' | 'typing' | 'delivered' | 'failed'>().notNull(),
  dueAt: integer('due_at').notNull(),
  endedAt: integer('ended_at'),
  /** Sender. */
  sender: text({ mode: 'json' }).$type<Actor>(),
})
export type MessageRow = typeof sessionMessages.$inferSelect
