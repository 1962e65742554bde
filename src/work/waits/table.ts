import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** `pending` until its beads are closed, `ready` until its session was nudged; the others end it. */
export type WaitState = 'pending' | 'ready' | 'closed' | 'canceled' | 'expired' | 'failed'

/** Table of the fields of a wait besides its bead. */
export const waits = sqliteTable('waits', {
  id: text().notNull(),
  session: text().notNull(),
  sessionName: text('session_name').notNull(),
  mode: text().$type<'all' | 'any'>().notNull(),
  state: text().$type<WaitState>().notNull(),
  /** Number of times the session had been started when it began to wait. */
  epoch: integer().notNull(),
  /** The name of the nudge that its session was sent. */
  nudge: text(),
  expiresAt: integer('expires_at'),
  /** The session that requested it; null for people. */
  createdBy: text('created_by'),
  createdAt: integer('created_at').notNull(),
  readyAt: integer('ready_at'),
  endedAt: integer('ended_at'),
  /** Reason it ended other than by its beads being closed. */
  error: text().notNull().default(''),
})
export type WaitRow = typeof waits.$inferSelect

/** The beads of a wait, in the order they were given. */
export const waitBeads = sqliteTable('wait_beads', {
  wait: text().notNull(),
  place: integer().notNull(),
  bead: text().notNull(),
})
