import type { Compilation } from './compilation.ts'
import { CONDITION_FORMS, holds, parseStateCondition } from './conditions.ts'
import { type Step, walk } from './formula.ts'
import { hasSameItems } from './rounds.ts'

/** Steps without those whose conditions do not hold, and what is below these. */
export function filterSteps(
  steps: readonly Step[],
  values: Readonly<Record<string, string>>,
  compilation: Compilation,
): Step[] {
  return steps.flatMap((step) => {
    if (!isIncluded(step, values, compilation)) {
      for (const { id } of walk([step])) compilation.excluded.add(id)
      if (step.loop) for (const { id } of walk(step.loop.body)) compilation.excluded.add(id)
      return []
    }
    const children = step.children.length > 0 ? filterSteps(step.children, values, compilation) : step.children
    return step.conditions.length > 0 || step.children.length > 0 ? [{ ...step, conditions: [], children }] : [step]
  })
}

function isIncluded(step: Step, values: Readonly<Record<string, string>>, compilation: Compilation): boolean {
  return step.conditions.every((condition) => {
    const result = holds(condition, values)
    if (result === undefined) {
      compilation.problem(step.place, `condition "${condition}" must be ${CONDITION_FORMS}`, step.id)
    }
    return result ?? true
  })
}

/** Takes out what steps need of steps that a condition left out, and finds needs that name no step at all. */
export function settleNeeds(steps: readonly Step[], compilation: Compilation): Step[] {
  const ids = new Set<string>()
  for (const { id } of walk(steps)) ids.add(id)
  const settle = (step: Step): Step => {
    const judged = parseStateCondition(step.runCondition ?? '')?.step
    const written = judged === undefined ? step.needs : [...step.needs, judged]
    const needs = compilation.endsOf(written).filter((id) => isThere(id, step, ids, compilation))
    const settled = [...new Set(needs)]
    const waited = waitedFor(step.waitsFor)
    const isGone = waited !== undefined && !isThere(waited, step, ids, compilation)
    if (!isGone && step.children.length === 0 && hasSameItems(settled, step.needs)) return step
    return {
      ...step,
      needs: settled,
      ...(isGone && { waitsFor: undefined }),
      children: step.children.length > 0 ? step.children.map(settle) : step.children,
    }
  }
  return steps.map(settle)
}

function isThere(id: string, step: Step, ids: ReadonlySet<string>, compilation: Compilation): boolean {
  if (ids.has(id)) return true
  if (compilation.excluded.has(id)) {
    compilation.warn(step.place, `"${step.id}" does not wait for "${id}": a condition leaves that step out`, step.id)
    return false
  }
  const message = `needs names "${id}", and there is no such step`
  compilation.problem(step.place, message, step.id)
  return false
}

/** The step that `children-of(…)` names. */
export const waitedFor = (waitsFor: string | undefined): string | undefined =>
  /^children-of\(([^()]+)\)$/.exec(waitsFor ?? '')?.[1]
