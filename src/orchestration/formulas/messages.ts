import { basename } from 'node:path'
import type { CompileResult, FormulaMessage } from './recipe.ts'

/** Messages without those that are the same again. */
export const uniqueMessages = (messages: readonly FormulaMessage[]): FormulaMessage[] => [
  ...new Map(
    messages.map((each) => [`${each.file}\n${each.line}\n${each.step ?? ''}\n${each.message}`, each]),
  ).values(),
]

/**
 * Reason a formula does not compile: all errors of its own file, and the first one of each other file that it is made
 * of, with the command that shows the others.
 */
export function briefErrors({ file, errors }: Extract<CompileResult, { errors: unknown }>): FormulaMessage[] {
  const own = errors.filter((each) => each.file === file)
  const others = Map.groupBy(
    errors.filter((each) => each.file !== file),
    (each) => each.file,
  )
  return [...own, ...[...others.values()].map(firstOf)]
}

function firstOf([first, ...others]: readonly FormulaMessage[]): FormulaMessage {
  if (!first) throw new Error('a group of messages is never empty')
  if (others.length === 0) return first
  const name = formulaOf(first.file)
  return { ...first, message: `${first.message} (${others.length} more: gc formula validate ${name})` }
}

/** The name of the formula in a file. */
const formulaOf = (file: string): string => basename(file).replace(/(?:\.formula)?\.(?:toml|json)$/, '')

/** The errors of a formula's own file, and one that names the other formulas whose errors keep it from compiling. */
export function ownErrors(file: string, line: number, errors: readonly FormulaMessage[]): FormulaMessage[] {
  const own = errors.filter((each) => each.file === file)
  const others = new Set(errors.filter((each) => each.file !== file).map((each) => formulaOf(each.file)))
  if (others.size === 0) return own
  const names = [...others].map((name) => `"${name}"`).join(', ')
  return [
    ...own,
    { file, line, message: `it is made of ${names}, which ${others.size === 1 ? 'does' : 'do'} not compile` },
  ]
}
