import { EngineKey } from '../../work/metadata.ts'
import { mapValues } from './map-step.ts'
import { fillVariables, openVariables } from './placeholders.ts'
import type { Bond, Recipe, RecipeStep, StepSpec, Substituted } from './recipe.ts'

/**
 * A recipe whose texts hold the values active and what the launch adds. Placeholders without a value stay as they are
 * written, but in a title they are an error. The values of variables in bonds are put in with those of the items.
 */
export function substitute(recipe: Recipe, extra: Readonly<Record<string, string>> = {}): Substituted<Recipe> {
  const errors = openTitles(recipe, extra)
  return errors.length > 0 ? { errors } : { value: fillTexts(recipe, extra) }
}

/** A recipe whose texts hold the values active and what the launch adds, whatever is missing. */
export function fillTexts(recipe: Recipe, extra: Readonly<Record<string, string>> = {}): Recipe {
  const values = { ...recipe.variables.values, ...extra }
  const text = (written: string) => fillVariables(written, values)
  const added = (written: string) => fillVariables(written, extra)
  const { root } = recipe
  return {
    ...recipe,
    description: text(recipe.description),
    root: {
      ...root,
      title: text(root.title),
      description: text(root.description),
      metadata: mapValues(root.metadata, text),
    },
    steps: recipe.steps.map((step) => fillStep(step, text, added)),
    bonds: Object.fromEntries(Object.entries(recipe.bonds).map(([name, bond]) => [name, fillBond(bond, added)])),
  }
}

/** A recipe whose titles hold the values active, and nothing else: what clients are shown of a formula. */
export function fillTitles(recipe: Recipe, extra: Readonly<Record<string, string>> = {}): Recipe {
  const values = { ...recipe.variables.values, ...extra }
  const titled = <Titled extends { title: string }>(each: Titled): Titled => ({
    ...each,
    title: fillVariables(each.title, values),
  })
  return { ...recipe, root: titled(recipe.root), steps: recipe.steps.map(titled) }
}

/**
 * A sentence for each title that names a variable without a value. What is in a value that was given is not a placeholder;
 * in a default it is.
 */
export function openTitles(recipe: Recipe, extra: Readonly<Record<string, string>> = {}): string[] {
  const { definitions, values } = recipe.variables
  const defaults = new Map(definitions.map((each) => [each.name, each.default]))
  const openIn = (name: string): string[] => {
    if (Object.hasOwn(extra, name)) return []
    if (!Object.hasOwn(values, name)) return [name]
    return values[name] === defaults.get(name) ? openVariables(values[name] ?? '') : []
  }
  const titles = [
    { id: recipe.formula, title: recipe.root.title },
    ...recipe.steps.filter(({ kind }) => kind !== 'spec'),
    ...Object.entries(recipe.bonds).flatMap(([name, bond]) =>
      'error' in bond ? [] : bond.steps.map(({ id, title }) => ({ id: `${name}: ${id}`, title })),
    ),
  ]
  return titles.flatMap(({ id, title }) => {
    const open = openVariables(title).flatMap(openIn)
    if (open.length === 0) return []
    return [
      `step "${id}": bead title contains unresolved variable(s) ${open.join(', ')} — missing or misspelled --var(s)?`,
    ]
  })
}

type Text = (written: string) => string

function fillStep(step: RecipeStep, text: Text, added: Text): RecipeStep {
  const spec = step.spec && fillSpec(step.spec, text, added)
  const metadata = mapValues(step.metadata, text)
  const vars = step.metadata[EngineKey.bondVars]
  return {
    ...{ ...step, title: text(step.title), labels: step.labels.map(text) },
    metadata: vars === undefined ? metadata : { ...metadata, [EngineKey.bondVars]: added(vars) },
    ...(step.description !== undefined && { description: spec ? JSON.stringify(spec) : text(step.description) }),
    ...(step.notes !== undefined && { notes: text(step.notes) }),
    ...(step.assignee !== undefined && { assignee: text(step.assignee) }),
    ...(step.gate && { gate: fillRecord(step.gate, text) }),
    ...(spec && { spec }),
  }
}

const fillBond = (bond: Bond, text: Text): Bond =>
  'error' in bond ? bond : { ...bond, steps: bond.steps.map((step) => fillSpec(step, text, text)) }

/**
 * The texts of a step; ids and conditions are not among them. The variables of a fan-out get only those of the launch: those
 * of the run are filled with each item, in one pass, so that `{item}` in a value is data.
 */
function fillSpec(spec: StepSpec, text: Text, added: Text): StepSpec {
  const { ralph, on_complete, gate } = spec
  return {
    ...{ ...spec, title: text(spec.title) },
    ...(spec.description !== undefined && { description: text(spec.description) }),
    ...(spec.notes !== undefined && { notes: text(spec.notes) }),
    ...(spec.tags && { tags: spec.tags.map(text) }),
    ...(spec.metadata && { metadata: mapValues(spec.metadata, text) }),
    ...(spec.assignee !== undefined && { assignee: text(spec.assignee) }),
    ...(gate && { gate: fillRecord(gate, text) }),
    ...(spec.children && { children: spec.children.map((child) => fillSpec(child, text, added)) }),
    ...(ralph && { ralph: { ...ralph, check: fillRecord(ralph.check, text) } }),
    ...(on_complete?.vars && { on_complete: { ...on_complete, vars: mapValues(on_complete.vars, added) } }),
  }
}

/** An object whose texts are filled. */
function fillRecord<Shape extends object>(shape: Shape, text: Text): Shape {
  const filled = { ...shape }
  for (const [key, value] of Object.entries(shape)) {
    if (typeof value === 'string') Reflect.set(filled, key, text(value))
  }
  return filled
}
