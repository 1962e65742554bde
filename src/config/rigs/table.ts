import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Actor } from '../../core/actor.ts'

/** Repositories that are or were cloned to become rigs, by the id of the request. */
export const rigClones = sqliteTable(
  'rig_clones',
  {
    requestId: text('request_id').primaryKey(),
    /** A hash of the request, without credentials. */
    digest: text().notNull(),
    state: text({ enum: ['in_flight', 'succeeded', 'rolled_back'] }).notNull(),
    rig: text().notNull(),
    /** Target of the clone, relative to the city. */
    path: text().notNull(),
    /** The newest event when the request was accepted. */
    cursor: integer().notNull(),
    acceptedAt: integer('accepted_at').notNull(),
    requester: text({ mode: 'json' }).$type<Actor>(),
    /** Reason it failed, and when. */
    error: text(),
    failedAt: integer('failed_at'),
  },
  (row) => [
    check('rig_clones_state', sql`${row.state} IN ('in_flight', 'succeeded', 'rolled_back')`),
    index('rig_clones_in_flight').on(row.rig).where(sql`${row.state} = 'in_flight'`),
  ],
)

export type RigClone = typeof rigClones.$inferSelect
