import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { AgentMode, PermissionChoice } from '../../../host/protocol/record.ts'

/** One run of a program that is spoken to by protocol: how far it was heard, and the turn it works on. */
export const acpRuns = sqliteTable('acp_runs', {
  hostKey: text('host_key').primaryKey(),
  sessionId: text('session_id').notNull(),
  lastSeq: integer('last_seq').notNull().default(0),
  /** '' while it works on none. */
  turn: text().notNull().default(''),
})

/** What was said, over all runs of a session, as the program's host told it. */
export const acpRecords = sqliteTable('acp_records', {
  id: integer().primaryKey({ autoIncrement: true }),
  sessionId: text('session_id').notNull(),
  body: text().notNull(),
})

/** What a program asks and nobody has answered yet. */
export const acpQuestions = sqliteTable('acp_questions', {
  request: text().primaryKey(),
  sessionId: text('session_id').notNull(),
  hostKey: text('host_key').notNull(),
  askedAt: integer('asked_at').notNull(),
  tool: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  choices: text({ mode: 'json' }).$type<PermissionChoice[]>().notNull(),
})
export type QuestionRow = typeof acpQuestions.$inferSelect

/** What is known of a session over all its runs. */
export const acpSessions = sqliteTable('acp_sessions', {
  sessionId: text('session_id').primaryKey(),
  template: text().notNull(),
  /** The modes its program offered last. */
  modes: text({ mode: 'json' }).$type<AgentMode[]>().notNull().default([]),
  mode: text().notNull().default(''),
  /** The mode its next start begins in. */
  wantedMode: text('wanted_mode'),
  /** What its records take. */
  bytes: integer().notNull().default(0),
})
