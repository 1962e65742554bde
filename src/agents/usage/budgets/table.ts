import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The budgets of a city, its rigs and its agents. */
export const budgets = sqliteTable('budgets', {
  scope: text({ enum: ['city', 'rig', 'agent'] }).notNull(),
  name: text().notNull(),
  unit: text({ enum: ['tokens', 'usd'] }).notNull(),
  per: text({ enum: ['hour', 'day'] }).notNull(),
  limit: real('most').notNull(),
  /** The start of the period that people were last notified in, and the level they were notified of. */
  notifiedPeriod: integer('told_period').notNull().default(0),
  notifiedLevel: integer('told_level').notNull().default(0),
})
export type BudgetRow = typeof budgets.$inferSelect

/** True if the programs of agents report what they use, as their turns showed. */
export const usageReports = sqliteTable('usage_reports', {
  agent: text().notNull(),
  program: text().notNull(),
  reports: integer({ mode: 'boolean' }).notNull(),
})
