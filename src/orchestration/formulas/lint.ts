import { openCompile } from './compile.ts'
import type { FormulaFiles } from './formula-files.ts'
import { ownErrors } from './messages.ts'
import type { FormulaMessage } from './recipe.ts'

/** Report on one formula. */
export interface FormulaReport {
  readonly name: string
  /** Absolute. */
  readonly file: string
  /** Absent when the file cannot be read. */
  readonly type?: 'workflow' | 'expansion' | 'aspect'
  readonly description: string
  /** Catalog entry, if it names this formula. */
  readonly catalog?: { readonly name: string; readonly description: string }
  readonly errors: readonly FormulaMessage[]
  /** Keys accepted without effect, with the defaults of its variables. */
  readonly warnings: readonly FormulaMessage[]
}

/** Looks at every formula of a city, whatever is wrong with the others. */
export const lintFormulas = (files: FormulaFiles): FormulaReport[] =>
  files.names().map((name) => lintFormula(files, name))

export function lintFormula(files: FormulaFiles, name: string): FormulaReport {
  const file = files.fileOf(name) ?? ''
  const parsed = files.formula(name)
  if (!parsed || 'errors' in parsed) {
    return { name, file, description: '', errors: parsed?.errors ?? [], warnings: [] }
  }
  const { type, description, catalog, place } = parsed.formula
  const warnings: FormulaMessage[] = []
  if (parsed.formula.name !== name) {
    warnings.push({ ...place, message: `the file is called ${name} and the formula "${parsed.formula.name}"` })
  }
  if (catalog && catalog.name !== name) {
    const message = `it is not in the catalog: catalog.name "${catalog.name}" must be the formula's own, "${name}"`
    warnings.push({ ...place, message })
  }
  const compiled = openCompile(files, name, true)
  const errors = ownErrors(file, place.line, compiled.errors)
  return {
    ...{ name, file, type, description, errors, warnings: [...warnings, ...compiled.warnings] },
    ...(catalog?.name === name && { catalog }),
  }
}
