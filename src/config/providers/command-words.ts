import { AppError } from '../../core/errors.ts'

const WORD = /\s+|((?:[^\s"'\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+)|[\s\S]/gy

/** Splits a command into its words as a shell would, without expanding anything: quotes and backslashes only. */
export function splitCommand(command: string): string[] {
  const words: string[] = []
  for (const [all, word] of command.matchAll(WORD)) {
    if (word !== undefined) words.push(unquote(word))
    else if (all.trim())
      throw new AppError('validation-failed', `the command has a quote that is not closed: ${command}`)
  }
  return words
}

const unquote = (word: string): string =>
  word.replace(/'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g, (_, single, double, escaped) => {
    if (single !== undefined) return single
    return double !== undefined ? double.replace(/\\(["\\$`])/g, '$1') : escaped
  })
