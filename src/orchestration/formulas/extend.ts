import { readDescriptions } from './descriptions.ts'
import type { Compose, Formula, Named, Step } from './formula.ts'
import { type FormulaFiles, missingFormula } from './formula-files.ts'
import type { Problems } from './reader.ts'
import type { JsonTable, JsonValue } from './recipe.ts'
import { uniqueRequirements } from './requirements.ts'

/** A formula with what it inherits; undefined, and a problem, when it or a parent cannot be read. */
export function withParents(
  files: FormulaFiles,
  { name, place }: Named,
  problems: Problems,
  /** What was read before. */
  inherited: Map<string, Formula | undefined>,
  stack: readonly string[] = [],
): Formula | undefined {
  if (inherited.has(name)) return inherited.get(name)
  const formula = inherit(files, { name, place }, problems, inherited, stack)
  inherited.set(name, formula)
  return formula
}

function inherit(
  files: FormulaFiles,
  { name, place }: Named,
  problems: Problems,
  inherited: Map<string, Formula | undefined>,
  stack: readonly string[],
): Formula | undefined {
  if (stack.includes(name)) {
    problems.add(place, `formulas extend each other in a circle: ${[...stack, name].join(' → ')}`)
    return undefined
  }
  const parsed = files.formula(name)
  if (!parsed) {
    problems.add(place, missingFormula(files, name))
    return undefined
  }
  if ('errors' in parsed) {
    problems.list.push(...parsed.errors)
    return undefined
  }
  const formula = readDescriptions(parsed.formula, files)
  if (formula.extends.length === 0) return formula
  const parents = formula.extends.map((parent) => withParents(files, parent, problems, inherited, [...stack, name]))
  const read = parents.filter((parent) => parent !== undefined)
  if (read.length < parents.length) return undefined
  const [first, ...others] = [...read, formula]
  return first && others.reduce(merge, first)
}

/** A formula over another one. What the lower one advises is its own affair. */
function merge(base: Formula, formula: Formula): Formula {
  return {
    ...formula,
    ...{ phase: formula.phase ?? base.phase, pour: formula.pour || base.pour },
    requirements: uniqueRequirements([...base.requirements, ...formula.requirements]),
    variables: new Map([...base.variables, ...formula.variables]),
    steps: mergeSteps(base.steps, formula.steps),
    template: mergeSteps(base.template, formula.template),
    compose: mergeCompose(base.compose, formula.compose),
    mentions: base.mentions.union(formula.mentions),
    metadata: mergeTables(base.metadata, formula.metadata),
  }
}

/** A step of the same id takes the place of the lower one, whole; new ones come after. */
function mergeSteps(base: readonly Step[], own: readonly Step[]): Step[] {
  const byId = new Map(own.map((step) => [step.id, step]))
  const ids = new Set(base.map(({ id }) => id))
  return [...base.map((step) => byId.get(step.id) ?? step), ...own.filter(({ id }) => !ids.has(id))]
}

/** A table over another one: tables in both are merged, every other value replaces the lower one. */
function mergeTables(base: JsonTable, own: JsonTable): JsonTable {
  const merged = Object.entries(own).map(([key, value]) => {
    const below = Object.hasOwn(base, key) ? base[key] : undefined
    return [key, isTable(below) && isTable(value) ? mergeTables(below, value) : value] as const
  })
  return { ...base, ...Object.fromEntries(merged) }
}

const isTable = (value: JsonValue | undefined): value is JsonTable => typeof value === 'object' && !Array.isArray(value)

const mergeCompose = (base: Compose, own: Compose): Compose => ({
  expand: [...base.expand, ...own.expand],
  map: [...base.map, ...own.map],
  branch: [...base.branch, ...own.branch],
  gate: [...base.gate, ...own.gate],
  aspects: [...base.aspects, ...own.aspects],
})
