import { EngineKey, WorkflowKey } from '../../work/metadata.ts'
import { writeAttempts } from './attempts.ts'
import { Compilation, TooLarge } from './compilation.ts'
import { filterSteps, settleNeeds } from './filter.ts'
import type { FormulaFiles } from './formula-files.ts'
import { fragmentOf } from './fragment.ts'
import { mapTexts, mapValues } from './map-step.ts'
import { fillNames } from './placeholders.ts'
import type { Fragment, Recipe, Substituted } from './recipe.ts'
import { ofSpec } from './spec.ts'
import { valuesOf } from './variables.ts'

/** One item of a fan-out. */
export interface FanOutItem {
  /** `gc.bond` of the control. */
  readonly bond: string
  /** The recipe id of the step whose output holds the items. */
  readonly sourceRef: string
  /** Title of that step. */
  readonly title: string
  readonly description?: string
  /** `gc.bond_vars` of the control. */
  readonly vars: Readonly<Record<string, string>>
  readonly item: unknown
  /** From 0. */
  readonly index: number
  /** Number of items that were made before these, when the step was done again. */
  readonly before?: number
}

/** The beads that a fan-out makes of one item. What an item says is never read for placeholders. */
export function expandFragment(
  { bonds, variables }: Pick<Recipe, 'bonds' | 'variables'>,
  { bond: bondName, sourceRef, title, description, vars, item, index, before = 0 }: FanOutItem,
): Substituted<Fragment> {
  const bond = Object.hasOwn(bonds, bondName) ? bonds[bondName] : undefined
  if (!bond) return { errors: [`the run was started without the formula "${bondName}"`] }
  if ('error' in bond) return { errors: [bond.error] }
  const target = `${sourceRef}.item.${before + index + 1}`
  const given = mapValues(vars, (text) => fillNames(text, (key) => itemText(key, item, index), variables.values))
  const values = valuesOf(bond.variables, given)
  const texts: Readonly<Record<string, string>> = {
    ...values,
    ...{ target, 'target.id': target, 'target.title': title, 'target.description': description ?? '' },
  }
  const inForce = { ...variables.values, ...values }
  const name = (key: string) => (Object.hasOwn(texts, key) ? texts[key] : undefined)
  const text = (written: string) => fillNames(written, name, inForce)
  const now = (written: string) => fillNames(written, name)
  const compilation = new Compilation(NO_FILES, inForce)
  const steps = bond.steps.map((spec) => mapTexts(ofSpec(spec, NOWHERE), text, now))
  try {
    const settled = settleNeeds(filterSteps(steps, compilation.values, compilation), compilation)
    const problems = compilation.problems.list.map(({ message }) => message)
    if (problems.length > 0) return { errors: problems }
    const { steps: written, deps, sinks } = fragmentOf(writeAttempts(settled), bondName)
    const marked = written.map((step) => ({
      ...step,
      metadata: { [WorkflowKey.stepId]: sourceRef, ...step.metadata, [EngineKey.dynamicFragment]: 'true' },
    }))
    return { value: { steps: marked, deps, sinks } }
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    return { errors: [error.message] }
  }
}

/** The value of `{item}`, `{item.key}` and `{index}`. */
function itemText(name: string, item: unknown, index: number): string | undefined {
  if (name === 'index') return String(index)
  const [first, ...path] = name.split('.')
  if (first !== 'item') return undefined
  const value = path.reduce(member, item)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}

const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

const NOWHERE = { file: '', line: 0 }
/** A template is complete: nothing of it is read from files any more. */
const NO_FILES: FormulaFiles = {
  ...{ capabilities: { graphs: true }, folders: [] },
  ...{ formula: () => undefined, fileOf: () => undefined, names: () => [], asset: () => undefined },
}
