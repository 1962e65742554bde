import { parseStateCondition } from './conditions.ts'
import { withConditions, withFanOuts } from './controls.ts'
import type { Check, Step } from './formula.ts'
import { fragmentOf } from './fragment.ts'
import { renameSteps } from './map-step.ts'
import type { Fragment, StepSpec } from './recipe.ts'
import { idsOf } from './rounds.ts'
import { ofSpec } from './spec.ts'

type Metadata = Readonly<Record<string, string>>

/** Steps with those that may be tried several times replaced by their control, its spec and the first attempt. */
export const writeAttempts = (steps: readonly Step[]): Step[] =>
  withFanOuts(
    withConditions(steps).flatMap((step) => {
      const own = step.check ? step.children : writeAttempts(step.children)
      if (step.retry) return writeRetry(step)
      if (step.check) return writeCheck(step, step.check)
      return [{ ...step, children: own }]
    }),
  )

/** What a step keeps to itself when an attempt is made of it: its place in a scope, and its name as a member of a round. */
const OF_CONTROL = ['gc.scope_ref', 'gc.scope_role', 'gc.scope_name', 'gc.on_fail', 'gc.step_ref']

const withoutScope = (metadata: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !OF_CONTROL.includes(key)))

/** What a control had as its kind before it was one. */
const originalKind = (metadata: Metadata): Metadata => {
  const kind = metadata['gc.kind']
  return kind === undefined ? {} : { 'gc.original_kind': kind }
}

function writeRetry(step: Step): Step[] {
  const retry = step.retry ?? { max_attempts: 1 }
  const attempt = attemptOf(step, { id: `${step.id}.attempt.1`, controlFor: step.id, number: 1 })
  const control = controlOf(step, [attempt.id], {
    'gc.kind': 'retry',
    'gc.max_attempts': String(retry.max_attempts),
    'gc.on_exhausted': retry.on_exhausted ?? 'hard_fail',
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
      ...{ 'gc.kind': 'until', 'gc.condition': verdict.condition, 'gc.max_attempts': String(maxAttempts) },
      'gc.condition_step': named === 'step' ? (step.children.at(-1)?.id ?? '') : named,
    }
  }
  return {
    ...{ 'gc.kind': 'ralph', 'gc.check_mode': 'exec', 'gc.check_path': verdict.path },
    ...{ 'gc.check_timeout': verdict.timeout ?? '', 'gc.max_attempts': String(maxAttempts) },
    ...(step.timeout !== undefined && { 'gc.step_timeout': step.timeout }),
  }
}

/** The step that stands for all its attempts. */
const controlOf = (step: Step, attempts: readonly string[], metadata: Metadata): Step => ({
  ...{ place: step.place, id: step.id, prefix: step.prefix, title: step.title, priority: step.priority },
  ...{ tags: step.tags, conditions: [], children: [], expandVars: {}, blockOnFailure: step.blockOnFailure },
  ...{ waitsFor: step.waitsFor, needs: [...step.needs, ...attempts] },
  metadata: {
    ...{ ...step.metadata, ...originalKind(step.metadata), 'gc.control_epoch': '1' },
    ...{ 'gc.step_id': step.metadata['gc.step_id'] ?? step.id, ...metadata },
  },
})

const specStep = (step: Step): Step => ({
  ...{ place: step.place, id: `${step.id}.spec`, prefix: step.prefix, title: `Step spec for ${step.title}` },
  ...{ type: 'spec', tags: [], needs: [], conditions: [], children: [], expandVars: {}, specOf: step },
  metadata: { 'gc.kind': 'spec', 'gc.spec_for': step.id },
})

interface Attempt {
  readonly id: string
  /** The step id of the control for the first attempt, later the id of its bead. */
  readonly controlFor: string
  readonly number: number
  /** What only later attempts carry. */
  readonly metadata?: Metadata
}

/** One attempt at a step, which is done by whoever would do the step. */
const attemptOf = (step: Step, { id, controlFor, number, metadata }: Attempt): Step => ({
  ...{ ...step, id, check: undefined, retry: undefined, blockOnFailure: undefined, runCondition: undefined },
  metadata: {
    ...{ ...withoutScope(step.metadata), ...(step.retry && originalKind(step.metadata)) },
    ...{ 'gc.attempt': String(number), 'gc.control_for': controlFor },
    ...{ 'gc.step_id': step.metadata['gc.step_id'] ?? step.id, ...metadata },
  },
})

/** One iteration of a check: the step itself, or a scope of its children, whose body comes last. */
function roundOf(step: Step, attempt: Attempt): Step[] {
  const stepId = step.metadata['gc.step_id'] ?? step.id
  const single = attemptOf(step, attempt)
  const first: Metadata = attempt.number === 1 ? { 'gc.step_ref': attempt.id } : {}
  const round = { ...single, metadata: { ...single.metadata, 'gc.ralph_step_id': stepId, ...first } }
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
  const awaited = renamed.filter(
    ({ metadata }) => !NOT_AWAITED.includes(metadata['gc.kind'] ?? '') && !isAttempt(metadata),
  )
  const body: Step = {
    ...round,
    ...{ children: [], needs: awaited.map(({ id }) => id), assignee: undefined },
    metadata: { ...round.metadata, 'gc.kind': 'scope', 'gc.scope_name': stepId, 'gc.scope_role': 'body' },
  }
  return [...renamed, body]
}

const NOT_AWAITED = ['spec', 'condition']
/** An attempt at a member; the control of the member is what the scope waits for. */
const isAttempt = (metadata: Metadata): boolean =>
  metadata['gc.control_for'] !== undefined && metadata['gc.kind'] !== 'fanout'

/** A child of a checked step as a member of the scope that one iteration is. */
function memberOf(child: Step, step: Step, stepId: string, { id, number }: Attempt): Step {
  const first: Metadata = number === 1 ? { 'gc.step_ref': child.id } : {}
  return {
    ...child,
    metadata: {
      ...{ 'gc.on_fail': 'abort_scope', ...child.metadata, 'gc.attempt': String(number) },
      ...{ 'gc.ralph_step_id': stepId, 'gc.scope_ref': id, 'gc.scope_role': 'member' },
      ...{ 'gc.step_id': child.metadata['gc.step_id'] ?? child.id, ...first },
    },
    priority: child.priority ?? step.priority,
  }
}

/** A later attempt at a step, or a later iteration. */
export interface LaterAttempt {
  /** Of the control's spec bead. */
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
    metadata: { ...described.metadata, 'gc.step_id': described.metadata['gc.step_id'] ?? spec.id },
  }
  const kind = step.metadata['gc.kind'] ?? 'task'
  const metadata = { 'gc.kind': kind, 'gc.idempotency_key': `${controlId}:attempt:${number}` }
  const word = step.retry ? 'attempt' : 'iteration'
  const attempt = { id: `${controlRef}.${word}.${number}`, controlFor: controlId, number, metadata }
  const steps = step.check ? roundOf(step, attempt) : [attemptOf(step, attempt)]
  return fragmentOf(steps, '')
}
