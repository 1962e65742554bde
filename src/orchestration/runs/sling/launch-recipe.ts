import { AppError } from '../../../core/errors.ts'
import { isControl } from '../../../work/beads/index.ts'
import { WorkflowKey } from '../../../work/metadata.ts'
import { briefErrors, type CompileResult, type Recipe, substitute } from '../../formulas/index.ts'
import type { Variables } from './launch-variables.ts'

/** A recipe with its variables, and what the launch adds to them; throws for a title that lacks one. */
export function fill(recipe: Recipe, extra: Variables): Recipe {
  const result = substitute(recipe, extra)
  if ('errors' in result) throw new AppError('invalid-request', listed(recipe.formula, result.errors))
  const { variables } = result.value
  const { issue: _, ...shown } = extra
  return { ...result.value, variables: { ...variables, values: { ...variables.values, ...shown } } }
}

/** A wisp that is hung on a bead is a molecule without steps. */
export function asMolecule(recipe: Recipe): Recipe {
  if (recipe.shape !== 'wisp') return recipe
  const { [WorkflowKey.kind]: _, ...metadata } = recipe.root.metadata
  return { ...recipe, shape: 'molecule', steps: [], deps: [], root: { ...recipe.root, type: 'molecule', metadata } }
}

/** A recipe of which only the root is made: a molecule, by which patrols find it again. */
export function asRootOnly(recipe: Recipe): Recipe {
  const metadata = { ...recipe.root.metadata, [WorkflowKey.kind]: 'wisp' }
  return { ...recipe, shape: 'wisp', root: { ...recipe.root, type: 'molecule', metadata } }
}

/** A recipe whose steps are made, also when its formula is `vapor`; a graph stays one. */
export const asPoured = (recipe: Recipe): Recipe => {
  const { steps, deps } = recipe
  return recipe.shape === 'wisp' && steps.length > 0 ? { ...asMolecule(recipe), steps, deps } : recipe
}

/** Reason a formula cannot be compiled. */
export function compileSentence(formula: string, result: Extract<CompileResult, { errors: unknown }>): string {
  if (result.reason === 'missing') return result.errors.map(({ message }) => message).join('; ')
  return listed(
    formula,
    briefErrors(result).map(
      ({ file, line, step, message }) => `${file}:${line}: ${step ? `step ${step}: ` : ''}${message}`,
    ),
  )
}

/** The problems of a launch in a sentence, or in a list. */
export const listed = (formula: string, problems: readonly string[]): string =>
  problems.length === 1
    ? `instantiating formula "${formula}": ${problems[0]}`
    : `instantiating formula "${formula}":${problems.map((problem) => `\n  - ${problem}`).join('')}`

const CONVOY_TEXT = '{{convoy_id}}'

/** Throws for a graph whose text names an input that it does not have. */
export function requireNoInput({ formula, steps }: Recipe): void {
  const texts = (step: (typeof steps)[number]) => [
    ...[step.title, step.description, step.notes, step.assignee],
    ...Object.values(step.metadata),
  ]
  const drain = steps.find(({ kind }) => kind === 'drain')
  if (drain) {
    const message = `step ${drain.id} drains the convoy of its run: name a bead or a convoy for the run`
    throw new AppError('invalid-request', listed(formula, [message]))
  }
  const step = steps.find((each) => texts(each).some((text) => text?.includes(CONVOY_TEXT)))
  if (!step) return
  throw new AppError(
    'invalid-request',
    listed(formula, [`step ${step.id}: convoy_id requires a targeted formulas v2 invocation: name a bead or a convoy`]),
  )
}

const UNWORKED: ReadonlySet<string> = new Set(['scope', 'spec'])

/** Throws for a graph in which there is nothing for an agent to do. */
export function requireWork({ formula, steps }: Recipe): void {
  const isWork = ({ kind = '', type }: (typeof steps)[number]) =>
    (!isControl(kind) && !UNWORKED.has(kind) && type !== 'gate') || kind === 'drain'
  if (steps.some(isWork)) return
  throw new AppError('invalid-request', listed(formula, ['no step of it is work for an agent']))
}
