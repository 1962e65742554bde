import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** `pending` until its beads are closed, `ready` until its session was nudged; the others end it. */
export type WaitState = 'pending' | 'ready' | 'closed' | 'canceled' | 'expired' | 'failed'

/** Table of the fields of a wait besides its bead. */
export const waits = sqliteTable(
  'waits',
  {
    id: text().primaryKey(),
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
  },
  (wait) => [
    index('waits_live').on(wait.createdAt, wait.id).where(sql`state IN ('pending', 'ready')`),
    index('waits_of').on(wait.session, wait.createdAt, wait.id).where(sql`state IN ('pending', 'ready')`),
    index('waits_due').on(wait.expiresAt).where(sql`state = 'pending' AND expires_at IS NOT NULL`),
    index('waits_nudged').on(wait.nudge).where(sql`state = 'ready'`),
  ],
)
export type WaitRow = typeof waits.$inferSelect

/** The beads of a wait, in the order they were given. */
export const waitBeads = sqliteTable(
  'wait_beads',
  { wait: text().notNull(), place: integer().notNull(), bead: text().notNull() },
  (row) => [primaryKey({ columns: [row.wait, row.place] }), index('wait_beads_on').on(row.bead, row.wait)],
)
