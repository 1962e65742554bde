import type { FormulaFiles } from './formula-files.ts'
import type { FormulaMessage, VariableDefinition } from './recipe.ts'

/** A formula that can be run, or whose file cannot be read. */
export interface ListedFormula {
  readonly name: string
  readonly description: string
  readonly variables: readonly VariableDefinition[]
  /** Reason its file cannot be read. */
  readonly errors: readonly FormulaMessage[]
}

/** A formula that can be run, or that cannot be read: it may be one. Undefined for all others. */
export function listFormula(files: FormulaFiles, name: string): ListedFormula | undefined {
  const parsed = files.formula(name)
  if (!parsed) return undefined
  if ('errors' in parsed) return { name, description: '', variables: [], errors: parsed.errors }
  const { type, description, variables } = parsed.formula
  if (type !== 'workflow') return undefined
  return { name, description, variables: [...variables.values()].map(({ definition }) => definition), errors: [] }
}
