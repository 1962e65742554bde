import type { Compilation } from './compilation.ts'
import { filterSteps } from './filter.ts'
import type { Formula, Named, Step } from './formula.ts'
import { writeOutLoops } from './loops.ts'
import { mapTexts, mapValues } from './map-step.ts'
import { fillNames, fillVariables } from './placeholders.ts'
import { endsOfSteps, resolveNeeds, takeOver } from './rounds.ts'
import { valuesOf } from './variables.ts'

/** Maximum depth of templates that use templates. */
const MAX_DEPTH = 5

/** Steps with those that have `expand` replaced by the steps of the template they name. */
export function expandInline(steps: readonly Step[], compilation: Compilation, depth = 0): Step[] {
  return steps.flatMap((step) => {
    const children = step.children.length > 0 ? expandInline(step.children, compilation, depth) : step.children
    if (step.expand === undefined) return [children === step.children ? step : { ...step, children }]
    const named = { name: step.expand, place: step.place }
    return expandStep({ ...step, children }, named, step.expandVars, compilation, depth)
  })
}

/** The steps that a step becomes, and what waits for it from now on: the last one of them. */
export function expandStep(
  target: Step,
  named: Named,
  variables: Readonly<Record<string, string>>,
  compilation: Compilation,
  depth = 0,
): Step[] {
  if (depth >= MAX_DEPTH) {
    compilation.problem(target.place, `templates use each other more than ${MAX_DEPTH} deep`, target.id)
    return [{ ...target, expand: undefined }]
  }
  const formula = compilation.formula(named, 'expansion')
  if (!formula) return [{ ...target, expand: undefined }]
  if (formula.template.length === 0) {
    compilation.problem(formula.place, `the expansion "${formula.name}" has no [[template]]`)
    return [{ ...target, expand: undefined }]
  }
  if (target.children.length > 0) {
    const message = `the children of "${target.id}" are lost: "${formula.name}" takes the place of the whole step`
    compilation.warn(target.place, message, target.id)
  }
  warnOfUnknown(formula, target, Object.keys(variables), compilation)
  const steps = fillTemplate(formula, target, variables, compilation, depth)
  const { starts } = endsOfSteps(steps)
  compilation.starts.set(target.id, starts)
  compilation.ends.set(
    target.id,
    steps.slice(-1).map(({ id }) => id),
  )
  return takeOver(steps, target, starts)
}

/** Warns of variables that are given to a template and that it does not name. */
export function warnOfUnknown(
  formula: Formula,
  { place, id }: Step,
  given: readonly string[],
  compilation: Compilation,
): void {
  const unknown = given.filter((name) => !formula.variables.has(name) && !formula.mentions.has(name))
  if (unknown.length === 0) return
  const template = JSON.stringify(formula.template)
  for (const name of unknown) {
    if (template.includes(`{${name}}`)) continue
    const message = `the variable "${name}" has no effect: "${formula.name}" does not name it`
    compilation.warn(place, message, id)
  }
}

/** The template for a target, with its own loops, templates and conditions done. */
export function fillTemplate(
  formula: Pick<Formula, 'template' | 'variables'>,
  target: Pick<Step, 'id' | 'title' | 'description'>,
  variables: Readonly<Record<string, string>>,
  compilation: Compilation,
  depth: number,
): Step[] {
  const definitions = [...formula.variables.values()].map(({ definition }) => definition)
  const values = valuesOf(definitions, variables)
  // Values may name variables of the run, which texts get when it starts and the compiler needs now.
  const current = mapValues(values, (value) => fillVariables(value, compilation.values))
  const text = (written: string) =>
    fillNames(written, (name) => targetText(target, name) ?? ownValue(values, name), values)
  const now = (written: string) => fillNames(written, (name) => targetText(target, name) ?? ownValue(current, name))
  const filled = formula.template.map((step) => {
    const each = mapTexts(step, text, now)
    compilation.addText(each)
    return each
  })
  const kept = filterSteps(filled, { ...compilation.values, ...current }, compilation)
  const steps = expandInline(writeOutLoops(kept, compilation), compilation, depth + 1)
  return resolveNeeds(steps, compilation)
}

const ownValue = (values: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

function targetText({ id, title, description }: Pick<Step, 'id' | 'title' | 'description'>, name: string) {
  switch (name) {
    case 'target':
    case 'target.id':
      return id
    case 'target.title':
      return title
    case 'target.description':
      return description ?? ''
    default:
      return undefined
  }
}
