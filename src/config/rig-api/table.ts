import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Actor } from '../../core/actor.ts'

/** Repositories that are or were cloned to become rigs, by the id of the request. */
export const rigClones = sqliteTable('rig_clones', {
  requestId: text('request_id').notNull(),
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
})

export type RigClone = typeof rigClones.$inferSelect
