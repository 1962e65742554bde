import { AppError } from '../core/errors.ts'

/** Something wrong in a file of a city, and where: `city.toml:12: [[rigs]] prefix: must be …`. */
export interface Diagnostic {
  readonly file: string
  readonly line: number
  /** The section and key it is about, such as `[[rigs]] prefix`; empty for the whole file. */
  readonly key: string
  readonly message: string
}

/** What reading a city's files turned up. */
export interface Diagnostics {
  readonly mistakes: Diagnostic[]
  readonly warnings: string[]
}

export const formatDiagnostic = ({ file, line, key, message }: Diagnostic): string =>
  `${file}:${line}: ${key ? `${key}: ` : ''}${message}`

/** Files that cannot be put in force, as a refusal with one line for each mistake. */
export function toInvalidConfigError(
  mistakes: readonly Diagnostic[],
  code: 'invalid-request' | 'validation-failed',
): AppError {
  const faults = mistakes.map(({ file, line, key, message }) => ({
    location: `${file}:${line}`,
    message: `${key}: ${message}`,
  }))
  return new AppError(code, mistakes.map(formatDiagnostic).join('\n'), { fieldErrors: faults })
}

/** A sentence and what may help, when there is something. */
export const withHint = (message: string, hint: string): string => (hint ? `${message}; ${hint}` : message)

/** `did you mean "x"?` for the nearest known word, or nothing. */
export function suggestion(word: string, known: Iterable<string>): string {
  let best: string | undefined
  let least = (word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3))) + 1
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance >= least) continue
    least = distance
    best = candidate
  }
  return best === undefined ? '' : `did you mean "${best}"?`
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 4) return 99
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 99
}
