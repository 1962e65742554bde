import type { CityConfig } from '../../config/city-config.ts'
import { AppError } from '../../core/errors.ts'
import { parseNeed } from '../../work/beads/dependencies.ts'
import type { GraphBead } from '../../work/beads/draft.ts'
import { isGating } from '../../work/beads/readiness.ts'
import type { Bead } from '../../work/beads/schema.ts'
import { EngineKey, LaunchKey, VARIABLE_PREFIX, WorkflowKey, WorkKey } from '../../work/metadata.ts'
import type { Recipe } from '../formulas/recipe.ts'
import { type GraphPlan, planGraph } from '../instantiate/graph-plan.ts'
import { type RouteContext, routeGraph } from '../routing/step-route.ts'
import { assigneeOf, findStepTarget } from '../routing/target.ts'
import type { DrainRow, Manifest } from '../runs/drain-manifest.ts'
import { metadataValue } from '../runs/node.ts'
import { fill } from '../sling/launch-recipe.ts'
import { drainRootKey, variablesJson } from '../sling/launch-variables.ts'

/** What a drain makes for one member of its convoy: a convoy of that member alone, and a run for it. */
export interface Unit {
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
  findSession: RouteContext['findSession']
}

/** Plans the run for a member, whose convoy has this id; throws when its steps cannot go where they are to go. */
export function planUnit(unit: Unit, convoy: string, ids: readonly string[], context: UnitContext): GraphPlan {
  const { control, row, rig, storeRef, waitsFor } = unit
  const { config } = context
  const name = metadataValue(control, EngineKey.executionRoutedTo)
  const target = findStepTarget(config, name, rig)
  if (!target) throw new AppError('invalid-request', `agent ${name} does not exist in this city any more`)
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
export const unitConvoy = (unit: Unit, id: string) => ({
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
