import type { Compilation } from './compilation.ts'
import type { Advice, Formula, Pointcut, Step } from './formula.ts'
import { matchesGlob } from './glob.ts'
import { mapTexts } from './map-step.ts'
import { fillNames } from './placeholders.ts'

/** Steps with those around them that a formula advises; what was added by advice is not advised again. */
export function applyAdvice(
  steps: readonly Step[],
  { advice, pointcuts }: Pick<Formula, 'advice' | 'pointcuts'>,
  added: Set<string>,
  compilation: Compilation,
): Step[] {
  if (advice.length === 0) return [...steps]
  return steps.flatMap((step) => {
    const children =
      step.children.length > 0 ? applyAdvice(step.children, { advice, pointcuts }, added, compilation) : []
    const around = { before: [] as Step[], after: [] as Step[] }
    for (const each of advice) {
      if (added.has(step.id) || !isAdvised(step, each, pointcuts)) continue
      around.before.push(...each.before.map((advised) => adapt(advised, step, compilation)))
      around.after.push(...each.after.map((advised) => adapt(advised, step, compilation)))
    }
    const before = chain(around.before)
    const after = chain(around.after, step.id)
    for (const { id } of [...before, ...after]) added.add(id)
    const last = before.at(-1)
    return [...before, { ...step, needs: last ? [...step.needs, last.id] : step.needs, children }, ...after]
  })
}

const isAdvised = (step: Step, { target }: Advice, pointcuts: readonly Pointcut[]): boolean =>
  matchesGlob(step.id, target) && (pointcuts.length === 0 || pointcuts.some((pointcut) => isOf(step, pointcut)))

const isOf = (step: Step, { glob, type, label }: Pointcut): boolean =>
  (glob === undefined || matchesGlob(step.id, glob)) &&
  (type === undefined || step.type === type) &&
  (label === undefined || step.tags.includes(label))

/** An advised step for the one it is about, under the same conditions. */
function adapt(advised: Step, { id, title, description, conditions }: Step, compilation: Compilation): Step {
  const texts: Readonly<Record<string, string>> = {
    'step.id': id,
    'step.title': title,
    'step.description': description ?? '',
  }
  const adapted = mapTexts(advised, (text) =>
    fillNames(text, (name) => (Object.hasOwn(texts, name) ? texts[name] : undefined)),
  )
  compilation.addText(adapted)
  return { ...adapted, conditions: [...conditions, ...adapted.conditions] }
}

/** Steps one after the other, the first after the step of an id. */
const chain = (steps: readonly Step[], first?: string): Step[] =>
  steps.map((step, index) => {
    const before = index === 0 ? first : steps[index - 1]?.id
    return before === undefined ? step : { ...step, needs: [...new Set([...step.needs, before])] }
  })
