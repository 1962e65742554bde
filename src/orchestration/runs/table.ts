import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Actor } from '../../core/actor.ts'
import type { Recipe } from '../formulas/index.ts'
import type { RunStatus } from '../schema.ts'
import type { RestartRequest, StoredPlan } from './restart-plan.ts'

/** Table of the fields of a run besides its beads. */
export const runs = sqliteTable('runs', {
  rootId: text('root_id').notNull(),
  formula: text().notNull(),
  contract: text({ enum: ['v1', 'v2'] }).notNull(),
  origin: text({ enum: ['sling', 'order'] }).notNull(),
  scopeKind: text('scope_kind').notNull(),
  scopeRef: text('scope_ref').notNull(),
  target: text().notNull(),
  state: text().$type<RunStatus>().notNull(),
  /** Number of retried attempts at its steps. */
  attempts: integer().notNull().default(0),
  errorCode: text('error_code'),
  errorMessage: text('error_message'),
  startedAt: integer('started_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  /** The run that has a drain which started this one for a member of its convoy. */
  parentId: text('parent_id'),
  /** The session, or the name of the process, that started it. */
  startedBy: text('started_by'),
  /** Time a person dismissed its failure; null while it needs attention. */
  dismissedAt: integer('dismissed_at'),
  /** Its place in lists of runs: those that continue, those that wait, those that are over. */
  listRank: integer('list_rank').generatedAlwaysAs(
    sql`CASE WHEN state IN ('completed', 'failed', 'canceled', 'skipped') THEN 2 WHEN state = 'waiting' THEN 1 ELSE 0 END`,
  ),
  /** Its place in feeds. */
  feedRank: integer('feed_rank').generatedAlwaysAs(
    sql`CASE state WHEN 'pending' THEN 1 WHEN 'failed' THEN 2 WHEN 'completed' THEN 3 WHEN 'skipped' THEN 4 WHEN 'canceled' THEN 5 ELSE 0 END`,
  ),
})

/** Table of the recipes of runs, which stay valid if the file changes. */
export const runRecipes = sqliteTable('run_recipes', {
  rootId: text('root_id').notNull(),
  recipe: text({ mode: 'json' }).$type<Recipe>().notNull(),
})

/** Runs that a person holds, and those whose steps are being offered again. */
export const runHolds = sqliteTable('run_holds', {
  rootId: text('root_id').notNull(),
  state: text({ enum: ['paused', 'resuming'] }).notNull(),
  since: integer().notNull(),
  /** Holder and reason. */
  by: text('held_by').notNull(),
  reason: text().notNull(),
  /** The run with which a person paused this one. */
  heldWith: text('held_with'),
})

/** Runs of many steps that are being opened again, slice by slice. */
export const runRestarts = sqliteTable('run_restarts', {
  rootId: text('root_id').notNull(),
  /** Request with its actor and effects. */
  request: text({ mode: 'json' }).$type<RestartRequest>().notNull(),
  actor: text({ mode: 'json' }).$type<Actor>().notNull(),
  plan: text({ mode: 'json' }).$type<StoredPlan>().notNull(),
  /** Number of of its beads are open again. */
  done: integer().notNull(),
})

/** The beads of runs that wait for somebody. */
export const runWaits = sqliteTable('run_waits', {
  beadId: text('bead_id').notNull(),
  rootId: text('root_id').notNull(),
  since: integer().notNull(),
})

/** The sessions that last began a step of each continuation group and agent of the runs that continue. */
export const runSessions = sqliteTable('run_sessions', {
  rootId: text('root_id').notNull(),
  group: text('continuation_group').notNull(),
  /** The agent that the steps are for: sessions of other agents do not take them. */
  target: text().notNull(),
  sessionId: text('session_id').notNull(),
  /** The name under which its work is assigned. */
  identity: text().notNull(),
})
export type RunSession = typeof runSessions.$inferSelect
