import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { AgentMode, PermissionChoice } from '../../../host/protocol/index.ts'

/** One run of a program that speaks ACP: the last record received, and the current turn. */
export const acpRuns = sqliteTable('acp_runs', {
  hostKey: text('host_key').notNull(),
  sessionId: text('session_id').notNull(),
  lastSeq: integer('last_seq').notNull().default(0),
  /** '' between turns. */
  turn: text().notNull().default(''),
})

/** The questions that no one has answered yet. */
export const acpQuestions = sqliteTable('acp_questions', {
  request: text().notNull(),
  sessionId: text('session_id').notNull(),
  hostKey: text('host_key').notNull(),
  askedAt: integer('asked_at').notNull(),
  tool: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  choices: text({ mode: 'json' }).$type<PermissionChoice[]>().notNull(),
})
export type QuestionRow = typeof acpQuestions.$inferSelect

/** The state of a session over all its runs. */
export const acpSessions = sqliteTable('acp_sessions', {
  sessionId: text('session_id').notNull(),
  template: text().notNull(),
  /** The modes that its program offered last. */
  modes: text({ mode: 'json' }).$type<AgentMode[]>().notNull().default([]),
  /** The mode that its next run starts in. */
  wantedMode: text('wanted_mode'),
  /** The size of its records. */
  bytes: integer().notNull().default(0),
})
