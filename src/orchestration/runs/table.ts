import { desc, sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Actor } from '../../core/actor.ts'
import type { Recipe } from '../formulas/index.ts'
import type { RestartRequest, StoredPlan } from './restart-plan.ts'
import type { RunStatus } from './schema.ts'

/** Table of the fields of a run besides its beads. */
export const runs = sqliteTable(
  'runs',
  {
    rootId: text('root_id').primaryKey(),
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
  },
  (run) => [
    check('runs_contract', sql`contract IN ('v1', 'v2')`),
    check('runs_origin', sql`origin IN ('sling', 'order')`),
    index('runs_listed').on(run.listRank, desc(run.updatedAt), run.rootId),
    index('runs_fed').on(run.feedRank, desc(run.updatedAt), run.rootId),
    index('runs_fed_by_scope').on(run.scopeKind, run.scopeRef, run.feedRank, desc(run.updatedAt), run.rootId),
    index('runs_by_formula').on(run.formula, desc(run.startedAt), run.rootId),
    index('runs_with_failure')
      .on(desc(run.updatedAt), run.rootId)
      .where(
        sql`error_message IS NOT NULL AND dismissed_at IS NULL
    AND (state = 'completed' OR (state = 'failed' AND parent_id IS NULL))`,
      ),
    index('runs_by_parent').on(run.parentId, run.listRank, run.rootId).where(sql`parent_id IS NOT NULL`),
    index('runs_by_formula_and_scope').on(run.formula, run.scopeKind, run.scopeRef, desc(run.startedAt), run.rootId),
  ],
)

/** Table of the recipes of runs, which stay valid if the file changes. */
export const runRecipes = sqliteTable('run_recipes', {
  rootId: text('root_id').primaryKey(),
  recipe: text({ mode: 'json' }).$type<Recipe>().notNull(),
})

/** Runs that a person holds, and those whose steps are being offered again. */
export const runHolds = sqliteTable(
  'run_holds',
  {
    rootId: text('root_id').primaryKey(),
    state: text({ enum: ['paused', 'resuming'] }).notNull(),
    since: integer().notNull(),
    /** Holder and reason. */
    by: text('held_by').notNull(),
    reason: text().notNull(),
    /** The run with which a person paused this one. */
    heldWith: text('held_with'),
  },
  (hold) => [
    check('run_holds_state', sql`state IN ('paused', 'resuming')`),
    index('run_holds_with').on(hold.heldWith).where(sql`held_with IS NOT NULL`),
  ],
)

/** Runs of many steps that are being opened again, slice by slice. */
export const runRestarts = sqliteTable('run_restarts', {
  rootId: text('root_id').primaryKey(),
  /** Request with its actor and effects. */
  request: text({ mode: 'json' }).$type<RestartRequest>().notNull(),
  actor: text({ mode: 'json' }).$type<Actor>().notNull(),
  plan: text({ mode: 'json' }).$type<StoredPlan>().notNull(),
  /** Number of of its beads are open again. */
  done: integer().notNull(),
})

/** The beads of runs that wait for somebody. */
export const runWaits = sqliteTable(
  'run_waits',
  { beadId: text('bead_id').primaryKey(), rootId: text('root_id').notNull(), since: integer().notNull() },
  (wait) => [index('run_waits_of').on(wait.rootId, wait.since, wait.beadId)],
)

/** Number of runs of each formula and scope that are in each state. Triggers keep it, and the next. */
export const runCounts = sqliteTable(
  'run_counts',
  {
    formula: text().notNull(),
    scopeKind: text('scope_kind').notNull(),
    scopeRef: text('scope_ref').notNull(),
    state: text().notNull(),
    n: integer().notNull(),
  },
  (count) => [primaryKey({ columns: [count.formula, count.scopeKind, count.scopeRef, count.state] })],
)

/** Number of runs that are in each state. */
export const runStateCounts = sqliteTable('run_state_counts', {
  state: text().$type<RunStatus>().primaryKey(),
  n: integer().notNull(),
})

/** The sessions that last began a step of each continuation group and agent of the runs that continue. */
export const runSessions = sqliteTable(
  'run_sessions',
  {
    rootId: text('root_id').notNull(),
    group: text('continuation_group').notNull(),
    /** The agent that the steps are for: sessions of other agents do not take them. */
    target: text().notNull(),
    sessionId: text('session_id').notNull(),
    /** The name under which its work is assigned. */
    identity: text().notNull(),
  },
  (session) => [primaryKey({ columns: [session.rootId, session.group, session.target] })],
)
export type RunSession = typeof runSessions.$inferSelect
