import type { Place, Step } from './formula.ts'
import type { StepSpec } from './recipe.ts'

/** A step as its spec bead holds it. */
export function toSpec(step: Step): StepSpec {
  const { check } = step
  return defined({
    ...{ id: step.id, title: step.title, description: step.description, notes: step.notes, type: step.type },
    ...{ priority: step.priority, tags: nonEmpty(step.tags), metadata: nonEmptyRecord(step.metadata) },
    ...{ needs: nonEmpty(step.needs), assignee: step.assignee, waits_for: step.waitsFor },
    gate: step.gate && defined(step.gate),
    children: nonEmpty(step.children.map(toSpec)),
    timeout: step.timeout,
    ralph:
      check?.verdict.kind === 'exec'
        ? {
            max_attempts: check.maxAttempts,
            check: defined({ mode: 'exec' as const, path: check.verdict.path, timeout: check.verdict.timeout }),
          }
        : undefined,
    until: check?.verdict.kind === 'until' ? { condition: check.verdict.condition, max: check.maxAttempts } : undefined,
    ...{ retry: step.retry, on_complete: step.onComplete, drain: step.drain },
    ...{ condition: step.runCondition, when: nonEmpty(step.conditions), block_on_failure: step.blockOnFailure },
  })
}

/** The step that a spec describes. */
export function ofSpec(spec: StepSpec, place: Place): Step {
  const { ralph, until } = spec
  return {
    place,
    ...{ id: spec.id, title: spec.title, description: spec.description, notes: spec.notes, type: spec.type },
    ...{ priority: spec.priority, tags: spec.tags ?? [], metadata: spec.metadata ?? {}, needs: spec.needs ?? [] },
    ...{ assignee: spec.assignee, waitsFor: spec.waits_for, gate: spec.gate, expandVars: {} },
    children: (spec.children ?? []).map((child) => ofSpec(child, place)),
    timeout: spec.timeout,
    check: ralph
      ? {
          maxAttempts: ralph.max_attempts,
          verdict: { kind: 'exec', path: ralph.check.path, timeout: ralph.check.timeout },
        }
      : until && { maxAttempts: until.max, verdict: { kind: 'until', condition: until.condition } },
    ...{ retry: spec.retry, onComplete: spec.on_complete, drain: spec.drain },
    ...{ runCondition: spec.condition, conditions: spec.when ?? [], blockOnFailure: spec.block_on_failure },
  }
}

/** An object without what is undefined, so that it is the same before and after JSON. */
function defined<Shape extends object>(shape: Shape): Shape {
  for (const key of Object.keys(shape)) {
    if (Reflect.get(shape, key) === undefined) Reflect.deleteProperty(shape, key)
  }
  return shape
}

const nonEmpty = <Item>(items: readonly Item[]): readonly Item[] | undefined => (items.length > 0 ? items : undefined)

const nonEmptyRecord = (record: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined =>
  Object.keys(record).length > 0 ? record : undefined
