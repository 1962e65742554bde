import type { CityConfig } from '../../../config/city/index.ts'
import { AppError } from '../../../core/errors.ts'
import { isControl } from '../../../work/beads/index.ts'
import { EngineKey, WorkflowKey, WorkKey } from '../../../work/metadata.ts'
import { identityOf, type SessionResolver } from '../../../work/sessions/index.ts'
import {
  assigneeOf,
  findStepTarget,
  isPool,
  type Recipe,
  type RecipeStep,
  type RouteTarget,
} from '../../formulas/index.ts'

/** Recipients of the steps of a recipe. */
export interface RouteContext {
  config: CityConfig
  /** The rig of the run; '' is the city itself. */
  rig: string
  /** Recipient of steps without one of their own; absent if those are unassigned. */
  target?: RouteTarget | undefined
  /** Finds the session that a step is assigned to by name. */
  resolver: SessionResolver
}

/** Recipient of a step, in its fields. */
export interface StepRoute {
  assignee?: string | undefined
  metadata: Readonly<Record<string, string>>
}

const NOWHERE: StepRoute = { metadata: {} }
/** Kinds that only hold a graph together. */
const TOPOLOGY: ReadonlySet<string> = new Set(['workflow', 'scope', 'spec'])
const POOL_GROUP = 'pool-workflow'
const DISPATCHER = 'control-dispatcher'

/** Routes the steps of a graph; throws when one names an agent or session that does not exist. */
export function routeGraph(recipe: Recipe, context: RouteContext): Map<string, StepRoute> {
  const targets = targetsOf(recipe, context)
  const dispatcher = dispatcherOf(context)
  return new Map(
    recipe.steps.map((step) => {
      const target = targets.get(step.id) ?? context.target
      if (TOPOLOGY.has(step.kind ?? '') || step.type === 'spec') return [step.id, NOWHERE]
      if (isControl(step.kind ?? '')) return [step.id, controlRoute(dispatcher, target)]
      if (step.assignee) return [step.id, assignedRoute(step, context)]
      return [step.id, target ? workRoute(step, target, context) : NOWHERE]
    }),
  )
}

/** Routes the steps of a molecule: their assignees stand as they are. */
export function routeMolecule(recipe: Recipe, context: RouteContext): Map<string, StepRoute> {
  const targets = targetsOf(recipe, context)
  return new Map(
    recipe.steps.map((step) => {
      const target = targets.get(step.id) ?? context.target
      const metadata: StepRoute['metadata'] = target ? { [WorkKey.routedTo]: target.agent.qualified } : {}
      return [step.id, { assignee: step.assignee, metadata }]
    }),
  )
}

/** The target of each step: its own; of a control that of the step it controls, or of what it waits for. */
function targetsOf({ steps, deps }: Recipe, context: RouteContext): Map<string, RouteTarget> {
  const byName = new Map<string, RecipeStep>()
  for (const step of steps) for (const name of [step.id, step.ref]) if (!byName.has(name)) byName.set(name, step)
  const needs = Map.groupBy(deps, ({ to }) => to)
  const targets = new Map<string, RouteTarget>()
  for (const step of steps) {
    const own = ownTarget(step, context)
    if (own) targets.set(step.id, own)
  }
  for (const step of steps) {
    if (targets.has(step.id) || !isControl(step.kind ?? '') || step.kind === 'workflow-finalize') continue
    const controlled = byName.get(step.metadata[EngineKey.controlFor] ?? '')
    const inherited = [controlled?.id, ...(needs.get(step.id) ?? []).map(({ from }) => from)]
      .flatMap((id) => (id === undefined ? [] : (targets.get(id) ?? [])))
      .at(0)
    if (inherited) targets.set(step.id, inherited)
  }
  return targets
}

function ownTarget({ id, metadata }: RecipeStep, { config, rig }: RouteContext): RouteTarget | undefined {
  const name = metadata[EngineKey.runTarget]?.trim()
  if (!name) return undefined
  const target = findStepTarget(config, name, rig)
  if (target) return target
  throw new AppError('invalid-request', `step ${id} is for ${name}, and this city has no such agent: gc agent list`)
}

function workRoute(step: RecipeStep, target: RouteTarget, { config }: RouteContext): StepRoute {
  const route = { [WorkKey.routedTo]: target.agent.qualified }
  const assignee = assigneeOf(config, target)
  if (assignee !== undefined) return { assignee, metadata: { ...route, [WorkKey.sessionName]: assignee } }
  if (!isPool(target.agent)) return { metadata: route }
  return {
    metadata: {
      ...route,
      [WorkflowKey.continuationGroup]: step.metadata[WorkflowKey.continuationGroup] || POOL_GROUP,
      [EngineKey.sessionAffinity]: step.metadata[EngineKey.sessionAffinity] || 'require',
    },
  }
}

function assignedRoute({ id, assignee = '' }: RecipeStep, { resolver }: RouteContext): StepRoute {
  try {
    const session = resolver.resolve(assignee)
    return { assignee: identityOf(session), metadata: { [WorkKey.sessionId]: session.id } }
  } catch {
    throw new AppError(
      'invalid-request',
      `step ${id} is assigned to ${assignee}, which is not an open session: start it first, or give the step a gc.run_target`,
    )
  }
}

const controlRoute = (dispatcher: string, target: RouteTarget | undefined): StepRoute => ({
  metadata: {
    [WorkKey.routedTo]: dispatcher,
    ...(target && { [EngineKey.executionRoutedTo]: target.agent.qualified }),
  },
})

/** Controls are gc's own work: they bear the name under which known clients look for them. */
function dispatcherOf({ config, rig }: RouteContext): string {
  const candidates = config.agents.filter(({ localName }) => localName === DISPATCHER)
  const own = candidates.find(({ dir = '' }) => dir === rig) ?? candidates.find(({ dir }) => dir === undefined)
  return own?.qualified ?? `core.${DISPATCHER}`
}
