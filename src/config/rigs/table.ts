import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Repositories that were asked to be cloned as rigs, by the id of the request. */
export const rigClones = sqliteTable('rig_clones', {
  requestId: text('request_id').primaryKey(),
  /** What was asked for, without credentials. */
  digest: text().notNull(),
  state: text({ enum: ['in_flight', 'succeeded', 'rolled_back'] }).notNull(),
  rig: text().notNull(),
  /** Where the clone goes, from the city. */
  path: text().notNull(),
  /** The newest event when it was accepted. */
  cursor: integer().notNull(),
  acceptedAt: integer('accepted_at').notNull(),
})

export type RigClone = typeof rigClones.$inferSelect
