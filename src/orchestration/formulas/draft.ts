import { openCompile } from './compile.ts'
import type { FormulaFiles } from './formula-files.ts'
import type { FormulaMessage } from './recipe.ts'

/** Problems of a formula file with this name, in sentences. */
export function judgeDraft(files: FormulaFiles, name: string): string[] {
  const parsed = files.formula(name)
  if (parsed && 'errors' in parsed) return parsed.errors.map(sentence)
  const declared = parsed?.formula.name ?? ''
  if (declared !== name) return [`formula name "${declared}" does not match path name "${name}"`]
  return openCompile(files, name).errors.map(sentence)
}

const sentence = ({ line, step, message }: FormulaMessage): string =>
  `line ${line}${step === undefined ? '' : `, step ${step}`}: ${message}`
