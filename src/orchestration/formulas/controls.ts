import { EngineKey, ResultKey, WorkflowKey } from '../../work/metadata.ts'
import { parseStateCondition } from './conditions.ts'
import type { FlatStep } from './flatten.ts'
import type { Step } from './formula.ts'

/** A bead that only the engine works on. */
const control = ({ place, prefix }: Step, fields: Pick<Step, 'id' | 'title' | 'needs' | 'metadata'>): Step => ({
  ...fields,
  place,
  prefix,
  tags: [],
  conditions: [],
  children: [],
  expandVars: {},
})

/** Steps with a control before each that has a condition on the state of others. */
export const withConditions = (steps: readonly Step[]): Step[] =>
  steps.flatMap((step) => {
    if (step.runCondition === undefined) return [step]
    const named = parseStateCondition(step.runCondition)?.step ?? ''
    const before = control(step, {
      ...{ id: `${step.id}-condition`, title: `Condition of ${step.title}`, needs: step.needs },
      metadata: {
        ...{ [WorkflowKey.kind]: 'condition', [EngineKey.controlFor]: step.id },
        ...{ [EngineKey.condition]: step.runCondition, [EngineKey.conditionStep]: named },
      },
    })
    return [before, { ...step, runCondition: undefined, needs: [before.id] }]
  })

/** Steps with a control for the fan-out of each that has one, at their end. */
export function withFanOuts(steps: readonly Step[]): Step[] {
  const controls: Step[] = []
  const own = steps.map((step) => {
    if (!step.onComplete) return step
    const { for_each, bond, vars, sequential } = step.onComplete
    controls.push(
      control(step, {
        ...{ id: `${step.id}-fanout`, title: `Expand fanout for ${step.title}`, needs: [step.id] },
        metadata: {
          ...{
            [WorkflowKey.kind]: 'fanout',
            [EngineKey.controlFor]: step.id,
            [EngineKey.forEach]: for_each,
            [EngineKey.bond]: bond,
          },
          ...(vars && { [EngineKey.bondVars]: JSON.stringify(vars) }),
          [EngineKey.fanoutMode]: sequential ? 'sequential' : 'parallel',
        },
      }),
    )
    return { ...step, onComplete: undefined, metadata: { ...step.metadata, [ResultKey.outputRequired]: 'true' } }
  })
  return controls.length > 0 ? [...own, ...controls] : own
}

/** Kinds that are not checked by their scope. */
const EXEMPT = ['scope', 'scope-check', 'spec', 'fanout', 'condition', 'failure-guard', 'workflow-finalize']
/** Keys that a scope check copies from its step. */
const COPIED: readonly string[] = [
  WorkflowKey.attempt,
  EngineKey.onFail,
  EngineKey.ralphStepId,
  WorkflowKey.scopeRef,
  WorkflowKey.stepId,
]

/**
 * Steps, each followed by the control that its scope has on it, and by the guard of those whose failure blocks. Anyone
 * who needs such a step needs its controls instead.
 */
export function withScopeChecks(steps: readonly FlatStep[]): FlatStep[] {
  const instead = new Map<string, string[]>()
  const written = steps.flatMap((step): FlatStep[] => {
    const controls = [...(isChecked(step) ? [scopeCheck(step)] : []), ...(step.blockOnFailure ? [guard(step)] : [])]
    if (controls.length > 0)
      instead.set(
        step.id,
        controls.map(({ id }) => id),
      )
    const ref = step.ref ?? step.id
    return [step, ...controls.map((each) => ({ ...each, ref: `${ref}${each.id.slice(step.id.length)}` }))]
  })
  if (instead.size === 0) return written
  return written.map((step) => {
    const own = step.metadata[EngineKey.controlFor]
    const isControl =
      EXEMPT.includes(step.metadata[WorkflowKey.kind] ?? '') && step.metadata[WorkflowKey.kind] !== 'condition'
    const needs = step.needs.flatMap((id) => (isControl && id === own ? [id] : (instead.get(id) ?? [id])))
    return { ...step, needs: [...new Set(needs)] }
  })
}

function isChecked({ metadata }: Step): boolean {
  const kind = metadata[WorkflowKey.kind] ?? ''
  const role = metadata[EngineKey.scopeRole]
  return (
    metadata[WorkflowKey.scopeRef] !== undefined && role !== 'teardown' && role !== 'body' && !EXEMPT.includes(kind)
  )
}

const scopeCheck = (step: Step): Step =>
  control(step, {
    ...{ id: `${step.id}-scope-check`, title: `Finalize scope for ${step.title}`, needs: [step.id] },
    metadata: {
      ...Object.fromEntries(Object.entries(step.metadata).filter(([key]) => COPIED.includes(key))),
      ...{ [WorkflowKey.kind]: 'scope-check', [EngineKey.controlFor]: step.id, [EngineKey.scopeRole]: 'control' },
    },
  })

const guard = (step: Step): Step =>
  control(step, {
    ...{ id: `${step.id}-guard`, title: `Guard of ${step.title}`, needs: [step.id] },
    metadata: { [WorkflowKey.kind]: 'failure-guard', [EngineKey.controlFor]: step.id },
  })
