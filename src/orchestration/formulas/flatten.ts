import { byKey } from '../../core/text/index.ts'
import { EngineKey, WorkflowKey } from '../../work/metadata.ts'
import { waitedFor } from './filter.ts'
import type { Step } from './formula.ts'
import type { Gate, RecipeDependency, RecipeStep } from './recipe.ts'
import { endsOfSteps, isAwaited } from './rounds.ts'
import { toSpec } from './spec.ts'

/** A step of the list that a tree was made into. */
export interface FlatStep extends Step {
  /** Its place in the formula: its own id, or that of its parent before it. */
  readonly ref?: string
  /** The id of its parent. */
  readonly parent?: string
  /** True for a step that stands for a gate. */
  readonly isGate?: boolean
}

/** A tree of steps as a list: each step, its gate, what is below it. A graph has no parents: see {@link inGraph}. */
export const flatten = (steps: readonly Step[], isGraph: boolean, parent?: FlatStep): FlatStep[] =>
  steps.flatMap((written) => {
    const step = isGraph && written.children.length > 0 ? inGraph(written) : written
    const ref = parent ? `${parent.ref ?? parent.id}.${localId(step)}` : step.id
    const type = step.children.length > 0 ? 'epic' : step.type
    const flat: FlatStep = { ...step, ref, parent: parent?.id, type }
    const gate = step.gate && gateOf(flat, step.gate, parent)
    const own = gate ? { ...flat, gate: undefined, needs: [gate.id, ...step.needs] } : flat
    return [own, ...(gate ? [gate] : []), ...flatten(step.children, isGraph, flat)]
  })

/** A parent that waits for its children, which wait for what it needs. */
function inGraph(step: Step): Step {
  const { starts } = endsOfSteps(step.children)
  const needs = step.gate ? [gateIdOf(step), ...step.needs] : step.needs
  const children = step.children.map((child) =>
    starts.includes(child.id) ? { ...child, needs: [...new Set([...needs, ...child.needs])] } : child,
  )
  return { ...step, children, needs: [...step.needs, ...step.children.filter(isAwaited).map(({ id }) => id)] }
}

/** The id of a step within the round of a loop or check that it belongs to. */
const localId = ({ id, prefix = '' }: Step): string => id.slice(prefix.length)

/** The id of a step's gate, in the same round. */
const gateIdOf = (step: Step): string => `${step.prefix ?? ''}gate-${localId(step)}`

/** The bead that must be closed before a step can begin. */
function gateOf(step: FlatStep, gate: Gate, parent: FlatStep | undefined): FlatStep {
  const id = gateIdOf(step)
  const ref = parent ? `${parent.ref ?? parent.id}.gate-${localId(step)}` : id
  return {
    ...{ place: step.place, id, ref, parent: parent?.id },
    ...{ title: `Gate: ${gate.type}${gate.id ? ` ${gate.id}` : ''}`, description: `Async gate for step ${step.id}` },
    ...{ type: 'gate', priority: 2, tags: [], metadata: {}, needs: [], conditions: [], children: [], expandVars: {} },
    ...{ gate, isGate: true },
  }
}

/** The steps and edges of a recipe, their ids after the formula's name. */
export function recipeParts(
  steps: readonly FlatStep[],
  { formula, isGraph }: { readonly formula: string; readonly isGraph: boolean },
): { steps: RecipeStep[]; deps: RecipeDependency[] } {
  const named = (ref: string) => (formula === '' ? ref : `${formula}.${ref}`)
  // Each id is one string, however many edges name it.
  const names = new Map(steps.map((step) => [step.id, named(step.ref ?? step.id)]))
  const idOf = (id: string) => names.get(id) ?? named(id)
  const deps = steps.flatMap((step) => edgesOf(step, idOf))
  return { steps: steps.map((step) => recipeStep(step, idOf, isGraph)), deps }
}

function edgesOf(step: FlatStep, idOf: (id: string) => string): RecipeDependency[] {
  const to = idOf(step.id)
  const blocks = step.needs.map((id): RecipeDependency => ({ from: idOf(id), to, kind: 'blocks' }))
  if (step.waitsFor === undefined) return blocks
  const waited = waitedFor(step.waitsFor)
  const metadata = { gate: step.waitsFor }
  const from = waited === undefined ? step.needs.filter((id) => id !== gateIdOf(step)) : [waited]
  return [...blocks, ...from.map((id): RecipeDependency => ({ from: idOf(id), to, kind: 'waits-for', metadata }))]
}

function recipeStep(step: FlatStep, idOf: (id: string) => string, isGraph: boolean): RecipeStep {
  const spec = step.specOf && toSpec(step.specOf)
  const metadata = metadataOf(step, idOf)
  const kind = metadata[WorkflowKey.kind]
  const description = spec ? JSON.stringify(spec) : step.description
  return {
    ...{ id: idOf(step.id), ref: step.ref ?? step.id, title: step.title, type: step.type ?? 'task' },
    ...(description !== undefined && { description }),
    ...(step.notes !== undefined && { notes: step.notes }),
    ...(kind !== undefined && { kind }),
    ...(step.priority !== undefined && { priority: step.priority }),
    labels: step.waitsFor === undefined ? step.tags : [...step.tags, `gate:${step.waitsFor}`],
    ...(step.assignee !== undefined && { assignee: step.assignee }),
    metadata,
    ...(!isGraph && step.parent !== undefined && { parent: idOf(step.parent) }),
    ...(step.isGate && step.gate && { gate: step.gate }),
    ...(spec && { spec }),
  }
}

const NOTHING: Record<string, string> = {}

function metadataOf({ metadata, drain, specOf }: FlatStep, idOf: (id: string) => string): Record<string, string> {
  const written: Record<string, string> = { ...metadata, ...(drain && drainMetadata(drain)) }
  const controlled = metadata[EngineKey.specFor]
  if (specOf && controlled !== undefined) written[EngineKey.specForRef] = idOf(controlled)
  if (metadata[WorkflowKey.kind] === 'condition')
    written[EngineKey.conditionStep] = idOf(metadata[EngineKey.conditionStep] ?? '')
  if (Object.keys(written).length === 0) return NOTHING
  return Object.fromEntries(Object.entries(written).sort(byKey))
}

function drainMetadata(drain: NonNullable<Step['drain']>): Record<string, string> {
  const onFailure = drain.context === 'shared' ? 'skip_remaining' : 'continue'
  return {
    ...{
      [WorkflowKey.kind]: 'drain',
      [EngineKey.drainContext]: drain.context,
      [EngineKey.drainFormula]: drain.formula,
    },
    [EngineKey.drainMemberAccess]: drain.member_access ?? 'read',
    [EngineKey.drainOnItemFailure]: drain.on_item_failure ?? onFailure,
    ...(drain.max_units !== undefined && { [EngineKey.drainMaxUnits]: String(drain.max_units) }),
    ...(drain.continuation_group !== undefined && { [EngineKey.drainContinuationGroup]: drain.continuation_group }),
    ...(drain.item && { [EngineKey.drainItemSingleLane]: String(drain.item.single_lane) }),
  }
}
