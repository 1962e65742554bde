import type { FormulaFiles } from './formula-files.ts'
import type { FormulaMessage, VariableDefinition } from './recipe.ts'

/** A formula that can be run, or whose file cannot be read. */
export interface ListedFormula {
  readonly name: string
  readonly description: string
  readonly variables: readonly VariableDefinition[]
  /** Why its file cannot be read. */
  readonly errors: readonly FormulaMessage[]
}

/** The formulas that can be run, and those that cannot be read: they may be some, too. */
export const listFormulas = (files: FormulaFiles): ListedFormula[] =>
  files.names().flatMap((name): ListedFormula[] => {
    const parsed = files.formula(name)
    if (!parsed) return []
    if ('errors' in parsed) return [{ name, description: '', variables: [], errors: parsed.errors }]
    const { type, description, variables } = parsed.formula
    if (type !== 'workflow') return []
    return [{ name, description, variables: [...variables.values()].map(({ definition }) => definition), errors: [] }]
  })
