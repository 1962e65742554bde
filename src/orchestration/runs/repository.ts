import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { Actor } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { AppError } from '../../core/errors.ts'
import { command, query, type Store, stablePlan, type Tx } from '../../core/store/index.ts'
import { RunChanged } from '../events.ts'
import type { Recipe } from '../formulas/index.ts'
import type { RunStatus } from '../schema.ts'
import type { RunStatusCounts } from './schema.ts'
import { runRecipes, runs, runWaits } from './table.ts'

/** A city or a rig; neither for a run that was started without one. */
export interface RunScope {
  kind: string
  ref: string
}

/** A run that begins. */
export interface RunDraft {
  root: string
  formula: string
  contract: 'v1' | 'v2'
  origin: 'sling' | 'order'
  scope: RunScope
  target: string
  /** The run that has a drain which started this one. */
  parent?: string | undefined
  /** Recipe it was compiled from, with its variables substituted. */
  recipe?: Recipe | undefined
}

export type RunRow = typeof runs.$inferSelect

/** A run with what lists show of the bead that is its root. */
export interface ListedRun extends RunRow {
  readonly title: string
  readonly rig: string
}

/** Reason a run ended other than well. */
export interface RunError {
  code: string
  message: string
}

const starterOf = ({ kind, name, session }: Actor): string | null => session ?? (kind === 'process' ? name : null)

const FINAL: ReadonlySet<string> = new Set<RunStatus>(['completed', 'failed', 'canceled', 'skipped'])

export const isFinal = (state: RunStatus): boolean => FINAL.has(state)

function prepareQueries({ orm }: Store) {
  return {
    recipe: orm
      .select({ recipe: runRecipes.recipe })
      .from(runRecipes)
      .where(eq(runRecipes.rootId, sql.placeholder('root')))
      .prepare(),
    counts: orm.select({ state: sql<RunStatus>`state`, n: sql<number>`n` }).from(sql`run_state_counts`).prepare(),
  }
}

const COLUMNS = Object.entries(getTableColumns(runs))
  .map(([key, { name }]) => `r.${name} AS ${key}`)
  .join(', ')

const LISTED = `SELECT ${COLUMNS}, coalesce(b.title, '') AS title, coalesce(b.rig, '') AS rig
  FROM runs r LEFT JOIN beads b ON b.id = r.root_id`

/** Selects runs in the order of a rank. */
const listing = <Parameters extends (string | number)[]>(rank: 'list_rank' | 'feed_rank', where = '') =>
  query<ListedRun, Parameters>(
    stablePlan(`${LISTED} ${where} ORDER BY r.${rank}, r.updated_at DESC, r.root_id LIMIT ?`),
  )

/** Selects runs of one rank after a place. */
const listingAfter = (rank: 'list_rank' | 'feed_rank') =>
  listing<[number, number, string, number]>(
    rank,
    `WHERE r.${rank} = ?1 AND r.updated_at <= ?2 AND (r.updated_at < ?2 OR r.root_id > ?3)`,
  )

/** A rank in one of the two orders, and the run of it that is passed already. */
export interface RunsPlace {
  readonly order: 'list' | 'feed'
  readonly rank: number
  readonly after: { updatedAt: number; root: string } | undefined
}

const ROW = query<RunRow, [string]>(`SELECT ${COLUMNS} FROM runs r WHERE r.root_id = ?`)

const ONE = query<ListedRun, [string]>(stablePlan(`${LISTED} WHERE r.root_id = ?`))

const PARTS = query<{ id: string }, [string]>('SELECT root_id AS id FROM runs WHERE parent_id = ? AND list_rank < 2')

const COMPILED = query<{ id: string }, [string]>('SELECT root_id AS id FROM run_recipes WHERE root_id = ?')

const WAITING = query<{ id: string }, [string]>(
  stablePlan('SELECT bead_id AS id FROM run_waits WHERE root_id = ? ORDER BY since, bead_id LIMIT 1'),
)

const WAITS = query<{ id: string; since: number }, [string, number]>(
  stablePlan('SELECT bead_id AS id, since FROM run_waits WHERE root_id = ? ORDER BY since, bead_id LIMIT ?'),
)

const COUNT = query<{ n: number }, [string, string, string]>(
  stablePlan(`SELECT coalesce(sum(n), 0) AS n FROM run_counts
       WHERE formula = ?1 AND (?2 = '' OR (scope_kind = ?2 AND scope_ref = ?3))`),
)

const LISTED_RUNS = listing<[number]>('list_rank')

const PAGES = { list: listingAfter('list_rank'), feed: listingAfter('feed_rank') }

const FED_RUNS = listing<[number]>('feed_rank')

const FED_RUNS_OF_SCOPE = listing<[string, string, number]>('feed_rank', 'WHERE r.scope_kind = ? AND r.scope_ref = ?')

const TOUCH = command<[number, string]>('UPDATE runs SET updated_at = ? WHERE root_id = ?')

/** Stores runs. Every change of a run's state is recorded as an event in the write that makes it. */
export class RunRepository {
  readonly #queries: ReturnType<typeof prepareQueries>

  constructor(private readonly context: CityContext) {
    this.#queries = prepareQueries(context.store)
  }

  /** Adds a run whose beads are all there; the engine takes it up from here. */
  add(
    tx: Tx,
    { root, formula, contract, origin, scope, target, parent, recipe }: RunDraft,
    state: RunStatus = 'pending',
  ): void {
    const now = this.context.clock.now()
    const { kind: scopeKind, ref: scopeRef } = scope
    tx.orm
      .insert(runs)
      .values({
        ...{ rootId: root, formula, contract, origin, scopeKind, scopeRef, target, state },
        startedAt: now,
        updatedAt: now,
        parentId: parent ?? null,
        startedBy: starterOf(tx.actor),
      })
      .run()
    if (recipe !== undefined) {
      // Its own steps and edges are beads by now.
      tx.orm
        .insert(runRecipes)
        .values({ rootId: root, recipe: { ...recipe, steps: [], deps: [] } })
        .run()
    }
    this.#record(tx, root, formula, state)
  }

  find(root: string): RunRow | undefined {
    return this.context.store.get(ROW, root) ?? undefined
  }

  /** True if a run was compiled here, so that its engine knows all that it is made of. */
  isCompiled(root: string): boolean {
    return this.context.store.get(COMPILED, root) !== null
  }

  /** Throws `run-not-found` when there is none. */
  get(root: string): RunRow {
    return this.find(root) ?? notFound(root)
  }

  /** A run as lists have it; throws `run-not-found` when there is none. */
  getListed(root: string): ListedRun {
    return this.context.store.get(ONE, root) ?? notFound(root)
  }

  /** Recipe of a run, without its own steps and edges; undefined for imported runs. */
  recipeOf(root: string): Recipe | undefined {
    return this.#queries.recipe.get({ root })?.recipe
  }

  /** Runs that continue, then those that wait, then those that are over; of each those that changed last first. */
  list(limit: number): ListedRun[] {
    return this.context.store.all(LISTED_RUNS, limit)
  }

  /** Runs of one rank after a place, those that changed last first. */
  page({ order, rank, after }: RunsPlace, limit: number): ListedRun[] {
    return this.context.store.all(
      PAGES[order],
      rank,
      after?.updatedAt ?? Number.MAX_SAFE_INTEGER,
      after?.root ?? '',
      limit,
    )
  }

  /** The runs that drains of a run started, those that are not over. */
  partsOf(root: string): string[] {
    return this.context.store.all(PARTS, root).map(({ id }) => id)
  }

  /** True if a session, or a process of this name, started a run, or the run that has a drain which did. */
  isStartedBy(root: string, starter: string): boolean {
    const run = this.find(root)
    if (!run || run.startedBy === starter) return run !== undefined
    return run.parentId !== null && this.isStartedBy(run.parentId, starter)
  }

  /** Runs that are being canceled. */
  canceling(): string[] {
    return this.context.store
      .read((orm) => orm.select({ id: runs.rootId }).from(runs).where(sql`list_rank = 0 AND state = 'canceling'`).all())
      .map(({ id }) => id)
  }

  counts(): RunStatusCounts {
    const counts = { pending: 0, active: 0, waiting: 0, canceling: 0, completed: 0, failed: 0, canceled: 0, skipped: 0 }
    for (const { state, n } of this.#queries.counts.all()) counts[state] = n
    return counts
  }

  /** Number of runs of a formula. */
  countOf(formula: string, scope?: RunScope): number {
    return this.context.store.get(COUNT, formula, scope?.kind ?? '', scope?.ref ?? '')?.n ?? 0
  }

  /** The latest runs of a formula. */
  latestOf(formula: string, scope: RunScope | undefined, limit: number): RunRow[] {
    const where = scope ? sql` AND scope_kind = ${scope.kind} AND scope_ref = ${scope.ref}` : sql``
    return this.context.store.read((orm) =>
      orm
        .select()
        .from(runs)
        .where(sql`formula = ${formula}${where}`)
        .orderBy(sql`started_at DESC, root_id`)
        .limit(limit)
        .all(),
    )
  }

  /** Runs in the order of feeds. */
  feed(scope: RunScope | undefined, limit: number): ListedRun[] {
    return scope
      ? this.context.store.all(FED_RUNS_OF_SCOPE, scope.kind, scope.ref, limit)
      : this.context.store.all(FED_RUNS, limit)
  }

  /** Something about one of its beads changed. */
  touch(tx: Tx, root: string): void {
    tx.run(TOUCH, this.context.clock.now(), root)
  }

  /** A bead of a run begins to wait for somebody, or does so no more. */
  setWaiting(tx: Tx, rootId: string, beadId: string, isWaiting: boolean): void {
    if (isWaiting) {
      const since = this.context.clock.now()
      tx.orm.insert(runWaits).values({ beadId, rootId, since }).onConflictDoNothing().run()
    } else {
      tx.orm.delete(runWaits).where(eq(runWaits.beadId, beadId)).run()
    }
  }

  /** The beads of a run that wait for somebody, those that have waited longest first. */
  waitsOf(root: string, limit: number): { id: string; since: number }[] {
    return this.context.store.all(WAITS, root, limit)
  }

  /** The bead that a run has waited for longest. */
  waitOf(root: string): string | undefined {
    return this.context.store.get(WAITING, root)?.id
  }

  /** Another attempt at one of its steps began. */
  countAttempt(tx: Tx, root: string): void {
    tx.orm.update(runs).set({ attempts: sql`attempts + 1` }).where(eq(runs.rootId, root)).run()
  }

  /** Sets what failed first in a run, also of one that completes all the same; it needs attention until it is dismissed. */
  setError(tx: Tx, root: string, errorMessage: string | null): void {
    tx.orm.update(runs).set({ errorMessage, dismissedAt: null }).where(eq(runs.rootId, root)).run()
  }

  /** Moves a run to another state; nothing happens when it is in that state. */
  move(tx: Tx, run: RunRow, state: RunStatus, error?: RunError): void {
    if (run.state === state) return
    const updatedAt = this.context.clock.now()
    const failure = error ? { errorCode: error.code, errorMessage: error.message } : { errorCode: null }
    tx.orm
      .update(runs)
      .set({ state, updatedAt, ...failure })
      .where(eq(runs.rootId, run.rootId))
      .run()
    this.#record(tx, run.rootId, run.formula, state)
  }

  #record(tx: Tx, root: string, formula: string, status: RunStatus): void {
    this.context.log.append(tx, RunChanged, { subject: root, run_id: root }, { run_id: root, status, formula })
  }
}

function notFound(root: string): never {
  throw new AppError('run-not-found', `run ${root} does not exist`)
}
