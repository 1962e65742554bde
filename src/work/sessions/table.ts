import { desc, sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { ConfineMode } from '../../config/declare/index.ts'
import type { Actor } from '../../core/actor.ts'
import type { SessionState } from './transitions.ts'

/** Table of the fields of a session besides its bead. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: text().primaryKey(),
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
  },
  (table) => [
    uniqueIndex('sessions_name').on(table.sessionName).where(sql`state != 'closed'`),
    uniqueIndex('sessions_alias').on(table.alias).where(sql`state != 'closed' AND alias IS NOT NULL`),
    uniqueIndex('sessions_slot').on(table.template, table.slot).where(sql`state != 'closed' AND slot IS NOT NULL`),
    uniqueIndex('sessions_named').on(table.named).where(sql`state != 'closed' AND named IS NOT NULL`),
    index('sessions_live').on(desc(table.createdAt), desc(table.id)).where(sql`state != 'closed'`),
    index('sessions_all').on(desc(table.createdAt), desc(table.id)),
    index('sessions_past_name').on(table.sessionName, table.createdAt),
    index('sessions_past_alias').on(table.alias, table.createdAt).where(sql`alias IS NOT NULL`),
    index('sessions_hosted').on(table.hostKey).where(sql`host_key IS NOT NULL`),
    index('sessions_folder').on(table.workDir),
    index('sessions_by_template').on(table.template, desc(table.createdAt), desc(table.id)),
  ],
)
export type SessionRow = typeof sessions.$inferSelect

/** Number of sessions of an agent that are closed, as triggers count them. */
export const closedSessions = sqliteTable('closed_sessions', {
  template: text().primaryKey(),
  n: integer().notNull(),
})

/** Credentials by hash, one per incarnation; an ended one is kept so that it can be told from an unknown one. */
export const sessionTokens = sqliteTable(
  'session_tokens',
  {
    hash: text().primaryKey(),
    sessionId: text('session_id').notNull(),
    generation: integer().notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [
    index('session_tokens_live').on(table.sessionId).where(sql`ended_at IS NULL`),
    index('session_tokens_ended').on(table.endedAt).where(sql`ended_at IS NOT NULL`),
  ],
)

/** Messages to sessions, in the order they should be delivered. */
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
    /** Sender. */
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
