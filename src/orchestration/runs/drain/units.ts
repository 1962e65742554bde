import { eq } from 'drizzle-orm'
import type { CityConfig } from '../../../config/city/index.ts'
import type { Config } from '../../../config/compose/index.ts'
import { gcPart } from '../../../core/actor.ts'
import type { Deadlines } from '../../../core/deadlines.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import type { Store, Tx } from '../../../core/store/index.ts'
import { type Bead, type BeadRepository, type GraphBead, isGating, parseNeed } from '../../../work/beads/index.ts'
import type { Convoys } from '../../../work/convoys/index.ts'
import { EngineKey, LaunchKey, ResultKey, VARIABLE_PREFIX, WorkflowKey, WorkKey } from '../../../work/metadata.ts'
import type { SessionResolver } from '../../../work/sessions/index.ts'
import { assigneeOf, findStepTarget, type Recipe } from '../../formulas/index.ts'
import { type DrainRow, drainMetadata, type Manifest, manifestOf, nextRow, withRow } from '../drain-manifest.ts'
import { beadCount, type GraphPlan, planGraph } from '../instantiate/graph-plan.ts'
import type { Instantiator } from '../instantiate/instantiator.ts'
import { routeGraph } from '../instantiate/step-route.ts'
import { metadataValue } from '../node.ts'
import { type PauseOptions, pauseWithParent } from '../pause.ts'
import type { SessionAffinity } from '../session-affinity.ts'
import { fill } from '../sling/launch-recipe.ts'
import { drainRootKey, variablesJson } from '../sling/launch-variables.ts'
import { runDrains } from './table.ts'

export interface DrainUnitsOptions extends PauseOptions {
  store: Store
  deadlines: Deadlines
  config: Config
  beads: BeadRepository
  convoys: Convoys
  instantiator: Instantiator
  resolver: SessionResolver
  affinity: Pick<SessionAffinity, 'inherit'>
  report(message: string): void
}

/** Reaction when the run for a member cannot be written. */
type DrainListener = (tx: Tx, control: Bead, message: string) => void

const RETRY_MS = 5_000
const DRAINS = gcPart('drains')

/** The drain ended while a run for one of its members was being written: that run is undone. */
class DrainOver extends Error {}

/**
 * Writes the runs that drains have for the members of their convoys, one after the other. What should be written has a
 * row in the store, and each run is noted in the manifest of its drain in the write with which it is whole: a crash
 * leaves nothing out and writes nothing twice.
 */
export class DrainUnits {
  readonly #underWay = new Map<string, Promise<void>>()
  #listener: DrainListener | undefined
  #isRunning = false

  constructor(private readonly options: DrainUnitsOptions) {}

  use(listener: DrainListener): void {
    this.#listener = listener
  }

  /** Continues with what the last process began. */
  start(): void {
    this.#isRunning = true
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await this.whenIdle()
  }

  /** Resolves when nothing is being written. */
  async whenIdle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay.values())
  }

  /** Writes what the manifest of a control has next. */
  request(tx: Tx, control: string): void {
    tx.orm.insert(runDrains).values({ controlId: control }).onConflictDoNothing().run()
    tx.after(() => this.#wake())
  }

  #wake(): void {
    if (!this.#isRunning) return
    for (const { controlId } of this.options.store.read((orm) => orm.select().from(runDrains).all())) {
      if (this.#underWay.has(controlId)) continue
      const work = this.#writeAll(controlId).finally(() => this.#underWay.delete(controlId))
      this.#underWay.set(controlId, work)
    }
  }

  async #writeAll(id: string): Promise<void> {
    const { deadlines, report } = this.options
    try {
      await this.options.instantiator.whenRecovered()
      while (this.#isRunning && (await this.#writeNext(id))) {}
    } catch (error) {
      report(`the drain ${id} stopped and is retried: ${errorMessage(error)}`)
      deadlines.after(RETRY_MS, () => this.#wake())
    }
  }

  /** Writes the next run of a drain; whether there may be another. */
  async #writeNext(id: string): Promise<boolean> {
    const { instantiator } = this.options
    try {
      const unit = this.#unitOf(id)
      if (!unit) return await this.#forget(id)
      const { rig, recipe } = unit
      await instantiator.write(
        {
          ...{ rig, count: beadCount(recipe) + 1 },
          plan: ([convoy = '', ...ids]) => planUnit(unit, convoy, ids, this.#context()),
          begin: (tx, plan) => this.#begin(tx, unit, plan),
          finish: (tx, plan) => this.#wire(tx, unit, plan),
        },
        DRAINS,
      )
      return true
    } catch (error) {
      if (error instanceof DrainOver) return await this.#forget(id)
      if (!(error instanceof AppError) || error.code === 'store-unavailable') throw error
      return await this.#fail(id, error.message)
    }
  }

  #context = () => ({ config: this.options.config.current, resolver: this.options.resolver })

  /** Next unit to write; undefined without one. */
  #unitOf(id: string): Unit | undefined {
    const { beads, runs, config } = this.options
    const control = beads.find(id)
    const manifest = control && this.#openManifest(control)
    const row = manifest && nextRow(manifest)
    if (!control || !manifest || !row) return undefined
    const recipe = runs.recipeOf(metadataValue(control, WorkflowKey.rootBeadId))?.items[manifest.formula]
    if (!recipe) throw new AppError('invalid-request', `the run was started without the formula ${manifest.formula}`)
    const rig = beads.rigOf(id)
    const storeRef = rig === '' ? `city:${config.current.name}` : `rig:${rig}`
    return { control, manifest, row, recipe, rig, storeRef, waitsFor: this.#waitsFor(manifest, row) }
  }

  /** The manifest of a drain that continues. */
  #openManifest(control: Bead): Manifest | undefined {
    const root = this.options.beads.find(metadataValue(control, WorkflowKey.rootBeadId))
    const isOver = !root || root.status === 'closed' || metadataValue(root, EngineKey.cancelRequested) !== ''
    return isOver || control.status === 'closed' ? undefined : manifestOf(control)
  }

  /** The roots of the units whose members the member of a row waits for. */
  #waitsFor({ rows }: Manifest, { index, member_id }: DrainRow): string[] {
    const needed = this.options.beads
      .dependenciesOf(member_id)
      .flatMap(({ type, depends_on_id }) => (isGating(type) ? [depends_on_id] : []))
    return rows.flatMap((row) =>
      row.index < index && row.item_root_id !== undefined && needed.includes(row.member_id) ? [row.item_root_id] : [],
    )
  }

  #begin(tx: Tx, unit: Unit, plan: GraphPlan): void {
    this.#stillOpen(unit)
    const convoy = plan.bead(0).metadata?.[EngineKey.inputConvoyId] ?? ''
    this.options.convoys.add(tx, unitConvoy(unit, convoy))
  }

  /** Notes a run that is whole, and has the drain wait for it. */
  #wire(tx: Tx, unit: Unit, plan: GraphPlan): void {
    const { beads, runs, affinity } = this.options
    const { control, recipe, row } = unit
    const manifest = withRow(this.#stillOpen(unit), {
      ...row,
      unit_convoy_id: plan.bead(0).metadata?.[EngineKey.inputConvoyId] ?? '',
      ...{ item_root_id: plan.root, status: 'wired' },
    })
    const parent = runs.find(metadataValue(control, WorkflowKey.rootBeadId))
    runs.add(tx, {
      ...{ root: plan.root, formula: recipe.formula, contract: 'v2', origin: parent?.origin ?? 'sling' },
      scope: { kind: parent?.scopeKind ?? '', ref: parent?.scopeRef ?? '' },
      target: metadataValue(control, EngineKey.executionRoutedTo) || 'workflow',
      ...{ parent: parent?.rootId, recipe: plan.recipe },
    })
    pauseWithParent(this.options, tx, plan.root)
    const isExpanded = nextRow(manifest) === undefined
    const group = metadataValue(control, EngineKey.drainContinuationGroup)
    const previous = unit.manifest.rows[row.index - 1]?.item_root_id
    if (group !== '' && previous !== undefined) affinity.inherit(tx, group, previous, plan.root)
    beads.depend(tx, control.id, [plan.root])
    beads.change(tx, control.id, { metadata: drainMetadata(isExpanded ? 'expanded' : 'expanding', manifest) })
    if (isExpanded) this.#remove(tx, control.id)
  }

  /** The manifest as it is now; throws when the drain is over. */
  #stillOpen({ control }: Unit): Manifest {
    const current = this.options.beads.find(control.id)
    const manifest = current && this.#openManifest(current)
    if (manifest) return manifest
    throw new DrainOver()
  }

  #remove(tx: Tx, id: string): void {
    tx.orm.delete(runDrains).where(eq(runDrains.controlId, id)).run()
  }

  async #forget(id: string): Promise<false> {
    await this.options.store.write((tx) => this.#remove(tx, id), DRAINS)
    return false
  }

  async #fail(id: string, message: string): Promise<false> {
    const { store, beads } = this.options
    await store.write((tx) => {
      this.#remove(tx, id)
      const control = beads.find(id)
      if (control && control.metadata?.[ResultKey.outcome] === undefined) this.#listener?.(tx, control, message)
    }, DRAINS)
    return false
  }
}

/** Parts that a drain creates for one member of its convoy: a convoy with that member, and a run for it. */
interface Unit {
  control: Bead
  manifest: Manifest
  row: DrainRow
  /** The item formula, as the run of the drain was compiled. */
  recipe: Recipe
  /** Roots of other units that this one waits for, since its member waits for theirs. */
  waitsFor: readonly string[]
  rig: string
  storeRef: string
}

interface UnitContext {
  config: CityConfig
  resolver: SessionResolver
}

/** Plans the run for a member, whose convoy has this id; throws when its steps cannot go where they are to go. */
function planUnit(unit: Unit, convoy: string, ids: readonly string[], context: UnitContext): GraphPlan {
  const { control, row, rig, storeRef, waitsFor } = unit
  const { config } = context
  const name = metadataValue(control, EngineKey.executionRoutedTo)
  const target = findStepTarget(config, name, rig)
  if (!target) throw new AppError('invalid-request', `agent ${name} does not exist in this city`)
  const filled = fill(inGroup(unit), { convoy_id: convoy, issue: row.member_id })
  const variables = variablesJson(filled)
  const session = assigneeOf(config, target)
  const plan = planGraph(filled, ids, {
    ...{ rig, storeRef, status: 'in_progress' },
    routes: routeGraph(filled, { ...context, rig, target }),
    rootMetadata: {
      [WorkKey.routedTo]: target.agent.qualified,
      ...(session !== undefined && { [WorkKey.sessionName]: session }),
      [EngineKey.inputConvoyId]: convoy,
      [LaunchKey.variables]: variables,
      [LaunchKey.rootKey]: drainRootKey({
        ...{ convoy, formula: filled.formula, variables },
        ...{ control: control.id, member: row.member_id },
      }),
      [`${VARIABLE_PREFIX}issue`]: row.member_id,
      ...unitMetadata(unit),
      [EngineKey.drainMemberAccess]: metadataValue(control, EngineKey.drainMemberAccess),
      [EngineKey.itemRootKey]: row.item_root_key,
    },
  })
  return waitsFor.length === 0 ? plan : { ...plan, bead: (at) => waiting(plan.bead(at), at === 0, waitsFor) }
}

/** The convoy of one member. */
const unitConvoy = (unit: Unit, id: string) => ({
  ...{ id, title: `drain unit ${unit.row.index} for ${unit.row.member_id}`, rig: unit.rig },
  items: [unit.row.member_id],
  metadata: {
    ...{ [LaunchKey.synthetic]: 'true', [LaunchKey.syntheticKind]: 'drain-unit-convoy' },
    ...{ [LaunchKey.parentConvoyId]: unit.manifest.parent_convoy_id, [EngineKey.drainUnitKey]: unit.row.unit_key },
    ...unitMetadata(unit),
  },
})

const unitMetadata = ({ control, manifest, row }: Unit): Record<string, string> => ({
  [EngineKey.drainControlId]: control.id,
  [EngineKey.drainCount]: String(manifest.rows.length),
  [EngineKey.drainIndex]: String(row.index),
  [EngineKey.drainMemberId]: row.member_id,
})

/** The item formula of a shared drain that has a continuation group: all its steps are in that group. */
function inGroup({ control, recipe }: Unit): Recipe {
  const group = metadataValue(control, EngineKey.drainContinuationGroup)
  if (group === '') return recipe
  const steps = recipe.steps.map((step) =>
    step.kind === undefined
      ? { ...step, metadata: { ...step.metadata, [WorkflowKey.continuationGroup]: group } }
      : step,
  )
  return { ...recipe, steps }
}

/** A bead of a unit that waits for others: its root, and what waits for nothing in it. */
function waiting(bead: GraphBead, isRoot: boolean, roots: readonly string[]): GraphBead {
  const { needs = [], type } = bead
  const isFirst = type !== 'spec' && !needs.some((need) => isGating(parseNeed(need).type))
  return isRoot || isFirst ? { ...bead, needs: [...needs, ...roots] } : bead
}
