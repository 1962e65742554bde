import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** `pending` until its beads are done, `ready` until its session was told; the others end it. */
export type WaitState = 'pending' | 'ready' | 'closed' | 'canceled' | 'expired' | 'failed'

/** What a wait has beside its bead. */
export const waits = sqliteTable('waits', {
  id: text().primaryKey(),
  session: text().notNull(),
  sessionName: text('session_name').notNull(),
  mode: text().$type<'all' | 'any'>().notNull(),
  state: text().$type<WaitState>().notNull(),
  /** How many times the session had been started when it began to wait. */
  epoch: integer().notNull(),
  /** Names the reminder that its session was sent. */
  nudge: text(),
  expiresAt: integer('expires_at'),
  /** The session that asked for it; null for people. */
  createdBy: text('created_by'),
  createdAt: integer('created_at').notNull(),
  readyAt: integer('ready_at'),
  endedAt: integer('ended_at'),
  /** Why it ended otherwise than it should. */
  error: text().notNull().default(''),
})
export type WaitRow = typeof waits.$inferSelect

/** The beads that are waited for, in the order they were given. */
export const waitBeads = sqliteTable(
  'wait_beads',
  { wait: text().notNull(), place: integer().notNull(), bead: text().notNull() },
  ({ wait, place }) => [primaryKey({ columns: [wait, place] })],
)
