import { parseDuration } from '../../../core/durations.ts'
import { AppError } from '../../../core/errors.ts'
import { type GraphBead, isGating, toStored, validateFields, validateTotals } from '../../../work/beads/index.ts'
import { EngineKey, GateKey, LaunchKey, VARIABLE_PREFIX, WorkflowKey } from '../../../work/metadata.ts'
import { type Recipe, type RecipeStep, stepIdOf } from '../../formulas/index.ts'
import type { StepRoute } from './step-route.ts'

/** Fields of a launch besides its recipe. */
export interface LaunchFields {
  /** The rig of the beads; '' is the city itself. */
  rig: string
  /** `city:<name>` or `rig:<name>`. */
  storeRef: string
  title?: string | undefined
  priority?: number | undefined
  ephemeral?: boolean | undefined
  status?: string | undefined
  /** Labels of the root. */
  labels?: readonly string[] | undefined
  /** More metadata of the root: its route, its scope, what it is for. */
  rootMetadata: Readonly<Record<string, string>>
  /** Recipient of each step, by recipe id; absent for unrouted steps. */
  routes?: ReadonlyMap<string, StepRoute> | undefined
}

/** The beads that a recipe makes, each made when it is asked for: a large graph leaves the loop free in between. */
export interface GraphPlan {
  readonly root: string
  /** Compiled recipe that it was planned from. */
  readonly recipe: Recipe
  /** Number of beads; the first is the root. */
  readonly size: number
  /** The beads by their steps; the root by the name of the formula. */
  readonly ids: ReadonlyMap<string, string>
  /** Throws for what no bead can hold. */
  bead(at: number): GraphBead
}

/** Number of beads of a recipe. */
export const beadCount = ({ shape, steps }: Recipe): number => (shape === 'wisp' ? 1 : steps.length + 1)

/** Plans the beads of a recipe whose variables are substituted. */
export function planGraph(recipe: Recipe, ids: readonly string[], launch: LaunchFields): GraphPlan {
  const steps = recipe.shape === 'wisp' ? [] : recipe.steps
  const [root = ''] = ids
  const byStep = new Map([[recipe.formula, root], ...steps.map(({ id }, at) => [id, ids[at + 1] ?? ''] as const)])
  const planner = new GraphPlanner(recipe, byStep, launch)
  return {
    root,
    recipe,
    size: steps.length + 1,
    ids: byStep,
    bead(at) {
      const step = steps[at - 1]
      const bead = step ? planner.step(step) : planner.root(root)
      check(bead)
      return bead
    },
  }
}

class GraphPlanner {
  readonly #stepIds: ReadonlyMap<string, string>
  readonly #needs: ReadonlyMap<string, readonly { from: string; kind: string }[]>

  constructor(
    private readonly recipe: Recipe,
    private readonly ids: ReadonlyMap<string, string>,
    private readonly launch: LaunchFields,
  ) {
    this.#stepIds = new Map([
      [recipe.formula, recipe.formula],
      ...recipe.steps.map((step) => [step.id, stepIdOf(step)] as const),
    ])
    this.#needs = Map.groupBy(recipe.deps, ({ to }) => to)
  }

  root(id: string): GraphBead {
    const { recipe, launch } = this
    const { formula, source, root, variables } = recipe
    const isGraph = recipe.shape === 'graph'
    return {
      ...{ id, rig: launch.rig, title: launch.title || root.title, description: root.description, type: root.type },
      ...{ priority: launch.priority ?? root.priority, ref: formula, ephemeral: launch.ephemeral },
      ...{ status: launch.status, labels: launch.labels },
      needs: this.#needsOf(formula),
      metadata: {
        ...root.metadata,
        [EngineKey.formulaName]: formula,
        [LaunchKey.formulaHash]: source.hash,
        [LaunchKey.formulaSource]: source.file,
        [WorkflowKey.stepId]: formula,
        [WorkflowKey.stepDependencies]: this.#dependenciesOf(formula),
        ...variableMetadata(variables.values),
        ...(isGraph && { [EngineKey.rootStoreRef]: launch.storeRef }),
        ...launch.rootMetadata,
      },
    }
  }

  step(step: RecipeStep): GraphBead {
    const { recipe, launch, ids } = this
    const { id, title, labels, priority, notes, gate } = step
    const isGraph = recipe.shape === 'graph'
    const route = launch.routes?.get(id)
    const root = ids.get(recipe.formula) ?? ''
    return {
      ...{ id: ids.get(id) ?? '', rig: launch.rig, title, description: step.description, labels, priority, ref: id },
      type: !isGraph && step.type === 'task' ? 'step' : step.type,
      ephemeral: launch.ephemeral,
      assignee: route?.assignee,
      parent: isGraph ? undefined : (ids.get(step.parent ?? '') ?? root),
      needs: this.#needsOf(id),
      metadata: {
        [WorkflowKey.stepRef]: id,
        ...step.metadata,
        ...(notes && { notes }),
        ...(gate && gateMetadata(gate)),
        [WorkflowKey.stepId]: stepIdOf(step),
        [WorkflowKey.stepDependencies]: this.#dependenciesOf(id),
        ...(isGraph && { [WorkflowKey.rootBeadId]: root, [EngineKey.rootStoreRef]: launch.storeRef }),
        ...route?.metadata,
      },
    }
  }

  #needsOf(id: string): string[] {
    return (this.#needs.get(id) ?? []).flatMap(({ from, kind }) => {
      const target = this.ids.get(from)
      return target === undefined ? [] : [`${kind}:${target}`]
    })
  }

  /** The ids of the steps that a step waits for. */
  #dependenciesOf(id: string): string {
    return JSON.stringify([...new Set(this.#stepsBefore(id))].sort())
  }

  /** A check waits for an attempt at the same step, and so for what that waits for. */
  #stepsBefore(id: string): string[] {
    const own = this.#stepIds.get(id)
    return (this.#needs.get(id) ?? []).flatMap(({ from, kind }) => {
      const other = this.#stepIds.get(from)
      if (other === undefined || !isGating(kind)) return []
      return other === own ? this.#stepsBefore(from) : [other]
    })
  }
}

const variableMetadata = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === '' ? [] : [[`${VARIABLE_PREFIX}${name}`, value]])),
  )

function gateMetadata({ type, id, timeout }: NonNullable<RecipeStep['gate']>): Record<string, string> {
  const ms = timeout === undefined ? undefined : parseDuration(timeout)
  return {
    [GateKey.awaitType]: type,
    ...(id && { [GateKey.awaitId]: id }),
    ...(ms !== undefined && { [GateKey.timeout]: String(ms) }),
  }
}

function check(bead: GraphBead): void {
  try {
    validateFields(bead)
    validateTotals({ labels: JSON.stringify(bead.labels ?? []), ...toStored(bead.metadata ?? {}) })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError('invalid-request', `${bead.ref}: ${error.message.replace(/^body\./, '')}`)
  }
}
