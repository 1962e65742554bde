import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The last maintenance runs of a store. */
export const maintenanceRuns = sqliteTable('maintenance_runs', {
  n: integer().primaryKey(),
  startedAt: integer('started_at').notNull(),
  finishedAt: integer('finished_at').notNull(),
  /** `done`, or the step that failed. */
  stage: text().notNull(),
  beforeBytes: integer('before_bytes').notNull(),
  afterBytes: integer('after_bytes').notNull(),
  error: text(),
})
export type MaintenanceRow = typeof maintenanceRuns.$inferSelect
