import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Actor } from '../../core/actor.ts'
import type { Question, QuestionOption } from '../../host/protocol/index.ts'
import type { AskedSubject } from '../../programs/terminal-profile.ts'

/** The option of an answer, with the text that a person adds to it. */
export type Choice = QuestionOption & { words?: string }

/** A question with what it is about, where that is beyond doubt. */
export type StoredQuestion = Question & { subject?: AskedSubject }

/** Table of the questions of programs, with answers. A question that came up again is a row of its own. */
export const questions = sqliteTable('questions', {
  id: integer().primaryKey(),
  sessionId: text('session_id').notNull(),
  hostKey: text('host_key').notNull(),
  /** The id under which its program knows it: of a screen, the same whenever the same is asked. */
  request: text().notNull(),
  /** True if an agent asks by protocol, or a program on its screen. */
  by: text().$type<'agent' | 'screen'>().notNull(),
  /** The bead that the session worked on, or was created for. */
  beadId: text('bead_id'),
  folder: text().notNull(),
  question: text({ mode: 'json' }).$type<StoredQuestion>().notNull(),
  /** `answering`: an answer is being given, and may have reached the program. */
  state: text().$type<'open' | 'answering' | 'answered' | 'gone'>().notNull(),
  choice: text({ mode: 'json' }).$type<Choice>(),
  /** Author of the answer. */
  actor: text({ mode: 'json' }).$type<Actor>(),
  answeredAt: integer('answered_at'),
  endedAt: integer('ended_at'),
  /** The rule that answers or answered it. */
  rule: text(),
})
export type QuestionRow = typeof questions.$inferSelect
