import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { AgentMode, PermissionChoice } from '../../../host/protocol/index.ts'

/** One run of a program that speaks ACP: the last record received, and the current turn. */
export const acpRuns = sqliteTable(
  'acp_runs',
  {
    hostKey: text('host_key').primaryKey(),
    sessionId: text('session_id').notNull(),
    lastSeq: integer('last_seq').notNull().default(0),
    /** '' between turns. */
    turn: text().notNull().default(''),
  },
  (run) => [index('acp_runs_session').on(run.sessionId)],
)

/** The records of all runs of a session, as the session host sent them. */
export const acpRecords = sqliteTable(
  'acp_records',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text('session_id').notNull(),
    body: text().notNull(),
  },
  (record) => [index('acp_records_session').on(record.sessionId, record.id)],
)

/** The questions that no one has answered yet. */
export const acpQuestions = sqliteTable(
  'acp_questions',
  {
    request: text().primaryKey(),
    sessionId: text('session_id').notNull(),
    hostKey: text('host_key').notNull(),
    askedAt: integer('asked_at').notNull(),
    tool: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    choices: text({ mode: 'json' }).$type<PermissionChoice[]>().notNull(),
  },
  (question) => [index('acp_questions_key').on(question.hostKey, question.askedAt)],
)
export type QuestionRow = typeof acpQuestions.$inferSelect

/** The state of a session over all its runs. */
export const acpSessions = sqliteTable(
  'acp_sessions',
  {
    sessionId: text('session_id').primaryKey(),
    template: text().notNull(),
    /** The modes that its program offered last. */
    modes: text({ mode: 'json' }).$type<AgentMode[]>().notNull().default([]),
    /** The mode that its next run starts in. */
    wantedMode: text('wanted_mode'),
    /** The size of its records. */
    bytes: integer().notNull().default(0),
  },
  (session) => [index('acp_sessions_template').on(session.template)],
)
