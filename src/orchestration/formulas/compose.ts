import type { Compilation } from './compilation.ts'
import { isStateGrammar, STATE_FORMS } from './conditions.ts'
import { expandStep } from './expand.ts'
import { type Compose, type Step, walk } from './formula.ts'
import { matchesGlob } from './glob.ts'

/** Steps with the edges of `compose.branch` and the labels of `compose.gate`. */
export function addBranches(steps: readonly Step[], compose: Compose, compilation: Compilation): Step[] {
  const ids = new Set([...walk(steps)].map(({ id }) => id))
  const added = new Map<string, string[]>()
  const labels = new Map<string, string[]>()
  const isThere = (id: string) => compilation.startsOf(id).every((each) => ids.has(each))
  for (const { place, from, steps: between, join } of compose.branch) {
    for (const id of [from, ...between, join]) {
      if (!isThere(id)) compilation.problem(place, `compose.branch names "${id}", and there is no such step`)
    }
    for (const id of between) {
      for (const start of compilation.startsOf(id)) append(added, start, [from])
      for (const start of compilation.startsOf(join)) append(added, start, [id])
    }
  }
  for (const { place, before, condition } of compose.gate) {
    if (!isThere(before)) compilation.problem(place, `compose.gate names "${before}", and there is no such step`)
    if (!isStateGrammar(condition)) {
      compilation.problem(place, `compose.gate.condition "${condition}" is not a condition on steps: ${STATE_FORMS}`)
    }
    compilation.warn(place, `compose.gate before "${before}" has no effect: nothing evaluates its condition`, before)
    for (const start of compilation.startsOf(before)) {
      append(labels, start, [`gate:${JSON.stringify({ condition })}`])
    }
  }
  if (added.size === 0 && labels.size === 0) return [...steps]
  return changeEach(steps, (step) => ({
    ...step,
    needs: [...new Set([...step.needs, ...(added.get(step.id) ?? [])])],
    tags: [...step.tags, ...(labels.get(step.id) ?? [])],
  }))
}

function append(map: Map<string, string[]>, key: string, values: readonly string[]): void {
  map.set(key, [...(map.get(key) ?? []), ...values])
}

const changeEach = (steps: readonly Step[], change: (step: Step) => Step): Step[] =>
  steps.map((step) => ({ ...change(step), children: changeEach(step.children, change) }))

/** Steps with those that `compose.expand` and `compose.map` name replaced by templates. */
export function composeExpansions(steps: readonly Step[], compose: Compose, compilation: Compilation): Step[] {
  const expanded = compose.expand.reduce(
    (current, rule) => {
      const named = { name: rule.with, place: rule.place }
      const isTarget = (step: Step) => step.id === rule.target
      const result = replaceEach(current, isTarget, (step) => expandStep(step, named, rule.variables, compilation))
      if (!result.replaced)
        compilation.problem(rule.place, `compose.expand names "${rule.target}", and there is no such step`)
      return result.steps
    },
    [...steps],
  )
  return compose.map.reduce((current, rule) => {
    const named = { name: rule.with, place: rule.place }
    const isTarget = (step: Step) => matchesGlob(step.id, rule.target)
    const result = replaceEach(current, isTarget, (step) => expandStep(step, named, rule.variables, compilation))
    if (!result.replaced)
      compilation.warn(rule.place, `compose.map selects "${rule.target}", and no step is of that name`)
    return result.steps
  }, expanded)
}

function replaceEach(
  steps: readonly Step[],
  isTarget: (step: Step) => boolean,
  replace: (step: Step) => Step[],
): { steps: Step[]; replaced: boolean } {
  let replaced = false
  const visit = (list: readonly Step[]): Step[] =>
    list.flatMap((step) => {
      if (!isTarget(step)) return [{ ...step, children: visit(step.children) }]
      replaced = true
      return replace(step)
    })
  const result = visit(steps)
  return { steps: result, replaced }
}
