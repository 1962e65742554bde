import { EngineKey, WorkflowKey } from '../../work/metadata.ts'
import { parseStateCondition } from './conditions.ts'
import { withConditions, withFanOuts } from './controls.ts'
import type { Check, Step } from './formula.ts'
import { fragmentOf } from './fragment.ts'
import { renameSteps } from './map-step.ts'
import type { Fragment, StepSpec } from './recipe.ts'
import { idsOf, isAwaited } from './rounds.ts'
import { ofSpec } from './spec.ts'

type Metadata = Readonly<Record<string, string>>

/** Steps with those that may be tried several times replaced by their control, its spec and the first attempt. */
export const writeAttempts = (steps: readonly Step[]): Step[] =>
  withFanOuts(
    withConditions(steps).flatMap((step) => {
      const own = step.check ? step.children : writeAttempts(step.children)
      if (step.retry) return writeRetry(step)
      if (step.check) return writeCheck(step, step.check)
      return [step.children.length > 0 ? { ...step, children: own } : step]
    }),
  )

/** Keys that a step keeps when an attempt is made of it: its place in a scope, and its name as a member of a round. */
const OF_CONTROL: readonly string[] = [
  WorkflowKey.scopeRef,
  EngineKey.scopeRole,
  EngineKey.scopeName,
  EngineKey.onFail,
  WorkflowKey.stepRef,
]

const withoutScope = (metadata: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !OF_CONTROL.includes(key)))

/** Kind of a control before it became one. */
const originalKind = (metadata: Metadata): Metadata => {
  const kind = metadata[WorkflowKey.kind]
  return kind === undefined ? {} : { [EngineKey.originalKind]: kind }
}

function writeRetry(step: Step): Step[] {
  const retry = step.retry ?? { max_attempts: 1 }
  const attempt = attemptOf(step, { id: `${step.id}.attempt.1`, controlFor: step.id, number: 1 })
  const control = controlOf(step, [attempt.id], {
    [WorkflowKey.kind]: 'retry',
    [WorkflowKey.maxAttempts]: String(retry.max_attempts),
    [EngineKey.onExhausted]: retry.on_exhausted ?? 'hard_fail',
  })
  return [specStep(step), attempt, control]
}

function writeCheck(step: Step, check: Check): Step[] {
  const round = roundOf(step, { id: `${step.id}.iteration.1`, controlFor: step.id, number: 1 })
  const body = round.at(-1)
  const control = controlOf(step, body ? [body.id] : [], checkMetadata(step, check))
  return [control, specStep(step), ...round]
}

function checkMetadata(step: Step, { verdict, maxAttempts }: Check): Metadata {
  if (verdict.kind === 'until') {
    const named = parseStateCondition(verdict.condition)?.step ?? 'step'
    return {
      ...{
        [WorkflowKey.kind]: 'until',
        [EngineKey.condition]: verdict.condition,
        [WorkflowKey.maxAttempts]: String(maxAttempts),
      },
      [EngineKey.conditionStep]: named === 'step' ? (step.children.at(-1)?.id ?? '') : named,
    }
  }
  return {
    ...{ [WorkflowKey.kind]: 'ralph', [EngineKey.checkMode]: 'exec', [EngineKey.checkPath]: verdict.path },
    ...{ [EngineKey.checkTimeout]: verdict.timeout ?? '', [WorkflowKey.maxAttempts]: String(maxAttempts) },
    ...(step.timeout !== undefined && { [EngineKey.stepTimeout]: step.timeout }),
  }
}

/** The step that stands for all its attempts. */
const controlOf = (step: Step, attempts: readonly string[], metadata: Metadata): Step => ({
  ...{ place: step.place, id: step.id, prefix: step.prefix, title: step.title, priority: step.priority },
  ...{ tags: step.tags, conditions: [], children: [], expandVars: {}, blockOnFailure: step.blockOnFailure },
  ...{ waitsFor: step.waitsFor, needs: [...step.needs, ...attempts] },
  metadata: {
    ...{ ...step.metadata, ...originalKind(step.metadata), [EngineKey.controlEpoch]: '1' },
    ...{ [WorkflowKey.stepId]: step.metadata[WorkflowKey.stepId] ?? step.id, ...metadata },
  },
})

const specStep = (step: Step): Step => ({
  ...{ place: step.place, id: `${step.id}.spec`, prefix: step.prefix, title: `Step spec for ${step.title}` },
  ...{ type: 'spec', tags: [], needs: [], conditions: [], children: [], expandVars: {}, specOf: step },
  metadata: { [WorkflowKey.kind]: 'spec', [EngineKey.specFor]: step.id },
})

interface Attempt {
  readonly id: string
  /** The step id of the control for the first attempt, later the id of its bead. */
  readonly controlFor: string
  readonly number: number
  /** Metadata of later attempts only. */
  readonly metadata?: Metadata
}

/** One attempt at a step, which is done by anyone who would do the step. */
const attemptOf = (step: Step, { id, controlFor, number, metadata }: Attempt): Step => ({
  ...{ ...step, id, check: undefined, retry: undefined, blockOnFailure: undefined, runCondition: undefined },
  metadata: {
    ...{ ...withoutScope(step.metadata), ...(step.retry && originalKind(step.metadata)) },
    ...{ [WorkflowKey.attempt]: String(number), [EngineKey.controlFor]: controlFor },
    ...{ [WorkflowKey.stepId]: step.metadata[WorkflowKey.stepId] ?? step.id, ...metadata },
  },
})

/** One iteration of a check: the step itself, or a scope of its children, whose body comes last. */
function roundOf(step: Step, attempt: Attempt): Step[] {
  const stepId = step.metadata[WorkflowKey.stepId] ?? step.id
  const single = attemptOf(step, attempt)
  if (attempt.number > 1 && step.children.length === 0) return [single]
  const first: Metadata = attempt.number === 1 ? { [WorkflowKey.stepRef]: attempt.id } : {}
  const round = { ...single, metadata: { ...single.metadata, [EngineKey.ralphStepId]: stepId, ...first } }
  if (step.children.length === 0) return [round]
  const prefix = `${attempt.id}.`
  const members = writeAttempts(step.children.map((child) => memberOf(child, step, stepId, attempt)))
  const rename = new Map(members.flatMap(idsOf).map((id) => [id, `${prefix}${id}`]))
  const starting = new Set(members.filter(({ needs }) => !needs.some((id) => rename.has(id))).map(({ id }) => id))
  const renamed = members.map((member) =>
    renameSteps(
      starting.has(member.id) ? { ...member, needs: [...step.needs, ...member.needs] } : member,
      rename,
      prefix,
    ),
  )
  const awaited = renamed.filter(isAwaited)
  const body: Step = {
    ...round,
    ...{ children: [], needs: awaited.map(({ id }) => id), assignee: undefined },
    metadata: {
      ...round.metadata,
      [WorkflowKey.kind]: 'scope',
      [EngineKey.scopeName]: stepId,
      [EngineKey.scopeRole]: 'body',
    },
  }
  return [...renamed, body]
}

/** A child of a checked step as a member of the scope that one iteration is. */
function memberOf(child: Step, step: Step, stepId: string, { id, number }: Attempt): Step {
  const first: Metadata = number === 1 ? { [WorkflowKey.stepRef]: child.id } : {}
  return {
    ...child,
    metadata: {
      ...{ [EngineKey.onFail]: 'abort_scope', ...child.metadata, [WorkflowKey.attempt]: String(number) },
      ...{ [EngineKey.ralphStepId]: stepId, [WorkflowKey.scopeRef]: id, [EngineKey.scopeRole]: 'member' },
      ...{ [WorkflowKey.stepId]: child.metadata[WorkflowKey.stepId] ?? child.id, ...first },
    },
    priority: child.priority ?? step.priority,
  }
}

/** A later attempt at a step, or a later iteration. */
export interface LaterAttempt {
  /** Spec bead of the control. */
  readonly spec: StepSpec
  /** The recipe id of the control. */
  readonly controlRef: string
  /** The id of its bead. */
  readonly controlId: string
  /** From 2. */
  readonly attempt: number
}

/** The beads of a later attempt. The control waits for its sinks. */
export function expandAttempt({ spec, controlRef, controlId, attempt: number }: LaterAttempt): Fragment {
  const place = { file: '', line: 0 }
  const described = ofSpec(spec, place)
  const step: Step = {
    ...{ ...described, id: controlRef, needs: [], waitsFor: undefined },
    metadata: { ...described.metadata, [WorkflowKey.stepId]: described.metadata[WorkflowKey.stepId] ?? spec.id },
  }
  const kind = step.metadata[WorkflowKey.kind] ?? 'task'
  const metadata = { [WorkflowKey.kind]: kind, [EngineKey.idempotencyKey]: `${controlId}:attempt:${number}` }
  const word = step.retry ? 'attempt' : 'iteration'
  const attempt = { id: `${controlRef}.${word}.${number}`, controlFor: controlId, number, metadata }
  const steps = step.check ? roundOf(step, attempt) : [attemptOf(step, attempt)]
  return fragmentOf(steps, '')
}
