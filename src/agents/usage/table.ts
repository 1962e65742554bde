import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One use: a response of a model, or a run of a session. */
export const usageFacts = sqliteTable(
  'usage_facts',
  {
    key: text().primaryKey(),
    at: integer().notNull(),
    kind: text({ enum: ['model', 'compute'] }).notNull(),
    sessionId: text('session_id').notNull(),
    worker: text().notNull(),
    agent: text().notNull(),
    rig: text().notNull(),
    model: text().notNull().default(''),
    input: integer().notNull().default(0),
    output: integer().notNull().default(0),
    cacheRead: integer('cache_read').notNull().default(0),
    cacheWrite: integer('cache_write').notNull().default(0),
    wallMs: integer('wall_ms').notNull().default(0),
    cost: real().notNull().default(0),
    unpriced: integer().notNull().default(0),
    /** The highest that answers without a known price can have cost. */
    assumed: real().notNull().default(0),
    /** Names a response in whichever log it stands; empty for a run. */
    answer: text().notNull().default(''),
  },
  (fact) => [
    check('usage_facts_kind', sql`kind IN ('model', 'compute')`),
    index('usage_facts_at').on(fact.at),
    index('usage_facts_by_session').on(fact.sessionId, fact.at),
    index('usage_facts_by_answer').on(fact.answer).where(sql`answer != ''`),
  ],
)

/** The sums of usage by quarter hour, rig and agent. */
export const usageSums = sqliteTable(
  'usage_sums',
  {
    at: integer().notNull(),
    rig: text().notNull(),
    agent: text().notNull(),
    invocations: integer().notNull().default(0),
    computes: integer().notNull().default(0),
    input: integer().notNull().default(0),
    output: integer().notNull().default(0),
    cacheRead: integer('cache_read').notNull().default(0),
    cacheWrite: integer('cache_write').notNull().default(0),
    wallMs: integer('wall_ms').notNull().default(0),
    cost: real().notNull().default(0),
    unpriced: integer().notNull().default(0),
    /** The highest that answers without a known price can have cost. */
    assumed: real().notNull().default(0),
  },
  (sum) => [primaryKey({ columns: [sum.at, sum.rig, sum.agent] })],
)

/** Table of usage by agent and model, by local days of the supervisor. */
export const usageDays = sqliteTable(
  'usage_days',
  {
    day: text().notNull(),
    rig: text().notNull(),
    agent: text().notNull(),
    model: text().notNull(),
    invocations: integer().notNull().default(0),
    tokens: integer().notNull().default(0),
    cost: real().notNull().default(0),
    unpriced: integer().notNull().default(0),
  },
  (use) => [primaryKey({ columns: [use.day, use.rig, use.agent, use.model] })],
)
