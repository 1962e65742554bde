import type { Actor } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import type { Tx } from '../../../core/store/index.ts'
import { WorkflowKey, WorkKey } from '../../../work/metadata.ts'
import { assigneeOf, isPool, type Recipe, type RouteTarget } from '../../formulas/index.ts'
import {
  beadCount,
  fill,
  type GraphPlan,
  type Instantiator,
  type LauncherOptions,
  LaunchParts,
  planGraph,
  requireNoInput,
  requireWork,
  routeGraph,
  routeMolecule,
} from '../../runs/index.ts'
import type { Order } from '../order.ts'
import { EVENT_LABEL, orderActorName, RUN_LABEL, SEQ_LABEL } from './labels.ts'
import type { OrderRunRow, OrderRuns } from './order-runs.ts'
import { resolvePool } from './pool.ts'
import type { Tracking } from './tracking.ts'

interface FormulaRunnerOptions extends LauncherOptions {
  instantiator: Instantiator
  orderRuns: OrderRuns
  tracking: Tracking
  findOrder(scopedName: string): Order | undefined
}

/** Number of formulas of orders that are instantiated at a time. */
const MAX_AT_ONCE = 4

/**
 * Makes the beads of formula orders. A run ends in the write with which its beads are whole, so that after a crash it is
 * either over or begun again from nothing.
 */
export class FormulaRunner {
  readonly #parts: LaunchParts
  readonly #queue: string[] = []
  readonly #underWay = new Set<Promise<void>>()
  #isStopped = true

  constructor(
    private readonly context: CityContext,
    private readonly options: FormulaRunnerOptions,
  ) {
    this.#parts = new LaunchParts(options)
  }

  /** Continues with what the last process began, once its half-made graphs are undone. */
  async start(): Promise<void> {
    this.#isStopped = false
    await this.options.instantiator.whenRecovered()
    for (const { kind, trackingId } of this.options.orderRuns.live()) if (kind === 'formula') this.add(trackingId)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#underWay)
  }

  async whenIdle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Makes the beads of a run that has begun. */
  add(trackingId: string): void {
    this.#queue.push(trackingId)
    this.#wake()
  }

  #wake(): void {
    while (!this.#isStopped && this.#underWay.size < MAX_AT_ONCE) {
      const run = this.options.orderRuns.find(this.#queue.shift() ?? '')
      if (!run) {
        if (this.#queue.length === 0) return
        continue
      }
      const work: Promise<void> = this.#run(run).finally(() => {
        this.#underWay.delete(work)
        this.#wake()
      })
      this.#underWay.add(work)
    }
  }

  async #run(run: OrderRunRow): Promise<void> {
    const { store, clock, report } = this.context
    const { findOrder, tracking } = this.options
    const actor: Actor = { kind: 'gc', name: orderActorName(run.scopedName) }
    try {
      const order = findOrder(run.scopedName)
      if (!order) throw new AppError('invalid-request', `order ${run.scopedName} is no longer declared`)
      await this.#instantiate(run, order, actor)
    } catch (error) {
      if (this.#isStopped || (error instanceof AppError && error.code === 'store-unavailable')) return
      const labels = ['wisp', 'wisp-failed'] as const
      const end = { outcome: 'failed', endedAt: clock.now(), error: errorMessage(error), labels } as const
      await store
        .write((tx) => tracking.end(tx, run, end), actor)
        .catch((failure) => report(`order run ${run.trackingId} could not be stopped: ${errorMessage(failure)}`))
    }
  }

  async #instantiate(run: OrderRunRow, order: Order, actor: Actor): Promise<void> {
    const { clock } = this.context
    const { config, instantiator } = this.options
    const { action, rig = '' } = order
    if (action.kind !== 'formula')
      throw new AppError('invalid-request', `order ${run.scopedName} no longer runs a formula`)
    const began = clock.monotonic()
    const target = action.pool === undefined ? undefined : resolvePool(config.current, order, action.pool)
    const compiled = await this.#parts.compile({ formula: action.formula, rig, vars: run.vars, target })
    if (compiled.shape === 'graph') requireNoInput(compiled)
    const recipe = fill(compiled, {})
    if (recipe.shape === 'graph') requireWork(recipe)
    this.#warn(order, recipe, target)
    const draft = {
      ...{ rig, count: beadCount(recipe) },
      plan: (ids: readonly string[]) => this.#plan(run, order, recipe, target, ids),
      finish: (tx: Tx, plan: GraphPlan) => {
        if (clock.monotonic() - began > run.timeoutMs)
          throw new AppError('gateway-timeout', 'context deadline exceeded')
        this.#finish(tx, run, order, recipe, target, plan)
      },
    }
    await instantiator.write(draft, actor)
  }

  #plan(
    run: OrderRunRow,
    order: Order,
    recipe: Recipe,
    target: RouteTarget | undefined,
    ids: readonly string[],
  ): GraphPlan {
    const { config, resolver } = this.options
    const { rig = '', trigger } = order
    const context = { config: config.current, rig, target, resolver }
    const isGraph = recipe.shape === 'graph'
    const session = isGraph && target ? assigneeOf(config.current, target) : undefined
    const scope = this.#scopeOf(order)
    return planGraph(recipe, ids, {
      ...{ rig, storeRef: this.#parts.storeRef(rig) },
      labels: [
        `${RUN_LABEL}${run.scopedName}`,
        ...(trigger.kind === 'event' ? [`${EVENT_LABEL}${run.scopedName}`, `${SEQ_LABEL}${run.seq ?? 0}`] : []),
      ],
      routes: isGraph ? routeGraph(recipe, context) : routeMolecule(recipe, context),
      rootMetadata: {
        ...(target && { [WorkKey.routedTo]: target.agent.qualified }),
        ...(session !== undefined && { [WorkKey.sessionName]: session }),
        ...(isGraph && { [WorkflowKey.scopeKind]: scope.kind, [WorkflowKey.scopeRef]: scope.ref }),
      },
    })
  }

  #finish(
    tx: Tx,
    run: OrderRunRow,
    order: Order,
    recipe: Recipe,
    target: RouteTarget | undefined,
    { root }: GraphPlan,
  ): void {
    const { clock } = this.context
    const { tracking } = this.options
    const scope = this.#scopeOf(order)
    this.#parts.addRun(
      tx,
      { recipe, scope, rig: order.rig ?? '', target: target?.agent.qualified ?? '', origin: 'order' },
      root,
    )
    tracking.end(tx, run, { outcome: 'success', endedAt: clock.now(), rootId: root, rootOpen: true, labels: ['wisp'] })
  }

  #scopeOf({ rig }: Order): { kind: string; ref: string } {
    return rig === undefined ? { kind: 'city', ref: this.options.config.current.name } : { kind: 'rig', ref: rig }
  }

  #warn({ name }: Order, { shape, formula }: Recipe, target: RouteTarget | undefined): void {
    if (shape !== 'molecule' || !target || !isPool(target.agent)) return
    this.context.report(
      `order ${name}: the root of formula ${formula} is a molecule, which starts no session of the pool ` +
        `${target.agent.qualified}: give the formula phase = "vapor" or [requires] formula_compiler = ">=2.0.0"`,
    )
  }
}
