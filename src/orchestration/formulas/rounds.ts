import { EngineKey, WorkflowKey } from '../../work/metadata.ts'
import type { Compilation } from './compilation.ts'
import type { Step } from './formula.ts'

/** The steps of a list that wait for none of the others in it, and those that none of the others waits for. */
export function endsOfSteps(steps: readonly Step[]): { starts: string[]; ends: string[] } {
  const own = new Map<string, number>()
  steps.forEach((step, index) => {
    for (const id of idsOf(step)) own.set(id, index)
  })
  const awaited = new Set<number>()
  const waiting = new Set<number>()
  steps.forEach((step, index) => {
    for (const id of needsOf(step)) {
      const other = own.get(id)
      if (other === undefined || other === index) continue
      awaited.add(other)
      waiting.add(index)
    }
  })
  const ids = (except: ReadonlySet<number>) => steps.filter((_, index) => !except.has(index)).map(({ id }) => id)
  return { starts: ids(waiting), ends: ids(awaited) }
}

/** The ids of a step and what is below it. */
export const idsOf = (step: Step): string[] => [step.id, ...step.children.flatMap(idsOf)]

const needsOf = (step: Step): string[] => [...step.needs, ...step.children.flatMap(needsOf)]

const NOT_AWAITED = ['spec', 'condition']

/**
 * True if those around a step wait for it: not for an attempt, but for its control, and for nothing that only says how.
 */
export function isAwaited({ metadata }: Step): boolean {
  const kind = metadata[WorkflowKey.kind] ?? ''
  const isAttempt = metadata[EngineKey.controlFor] !== undefined && kind !== 'fanout'
  return !NOT_AWAITED.includes(kind) && !isAttempt
}

type Taken = Pick<Step, 'conditions' | 'needs' | 'gate' | 'waitsFor' | 'runCondition'>

/** Moves conditions of a replaced step to its replacements, and its needs to those that start first. */
export function takeOver(steps: readonly Step[], from: Taken, starts: readonly string[]): Step[] {
  const first = new Set(starts)
  return steps.map((step) => {
    if (from.conditions.length === 0 && !first.has(step.id)) return step
    return {
      ...step,
      conditions: from.conditions.length > 0 ? [...from.conditions, ...step.conditions] : step.conditions,
      ...(first.has(step.id) && {
        needs: [...new Set([...from.needs, ...step.needs])],
        ...{ gate: step.gate ?? from.gate, waitsFor: step.waitsFor ?? from.waitsFor },
        runCondition: step.runCondition ?? from.runCondition,
      }),
    }
  })
}

/** Steps whose needs name what others became. */
export const resolveNeeds = (steps: readonly Step[], compilation: Compilation): Step[] =>
  steps.map((step) => {
    const needs = compilation.endsOf(step.needs)
    if (step.children.length === 0) return hasSameItems(needs, step.needs) ? step : { ...step, needs }
    return { ...step, needs, children: resolveNeeds(step.children, compilation) }
  })

/** True if two lists hold the same, in the same order. A step that stays as it is need not be copied. */
export const hasSameItems = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, at) => item === b[at])
