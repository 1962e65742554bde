import { sql } from 'drizzle-orm'
import { check, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The budgets of a city, its rigs and its agents. */
export const budgets = sqliteTable(
  'budgets',
  {
    scope: text({ enum: ['city', 'rig', 'agent'] }).notNull(),
    name: text().notNull(),
    unit: text({ enum: ['tokens', 'usd'] }).notNull(),
    per: text({ enum: ['hour', 'day'] }).notNull(),
    limit: real('most').notNull(),
    /** The start of the period that people were last notified in, and the level they were notified of. */
    notifiedPeriod: integer('told_period').notNull().default(0),
    notifiedLevel: integer('told_level').notNull().default(0),
  },
  (budget) => [
    check('budgets_scope', sql`scope IN ('city', 'rig', 'agent')`),
    check('budgets_unit', sql`unit IN ('tokens', 'usd')`),
    check('budgets_per', sql`per IN ('hour', 'day')`),
    primaryKey({ columns: [budget.scope, budget.name, budget.unit, budget.per] }),
  ],
)
export type BudgetRow = typeof budgets.$inferSelect

/** Has a row while agents whose programs do not report what they use continue under a budget. */
export const lenientBudgets = sqliteTable('lenient_budgets', { since: integer().notNull() })

/** True if the programs of agents report what they use, as their turns showed. */
export const usageReports = sqliteTable(
  'usage_reports',
  {
    agent: text().primaryKey(),
    program: text().notNull(),
    reports: integer({ mode: 'boolean' }).notNull(),
  },
  () => [check('usage_reports_reports', sql`reports IN (0, 1)`)],
)
