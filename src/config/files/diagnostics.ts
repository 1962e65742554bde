import { AppError } from '../../core/errors.ts'
import { replaceSecrets, SECRET_MARKER } from '../../core/text/index.ts'
import { CITY_FILE } from './file-names.ts'

/** A place in a file of the configuration. */
export interface SourceLocation {
  readonly file: string
  readonly line: number
  /** The section and key, such as `[[rigs]] prefix`; empty for the whole file. */
  readonly key: string
}

/**
 * Severity of a diagnostic: an error keeps the files from being applied, `broken` disables only its part, a warning is
 * reported on load, and a lint only on checks.
 */
export type Severity = 'error' | 'broken' | 'warning' | 'lint'

/** One sentence about a place in a file. */
export interface Diagnostic extends SourceLocation {
  readonly severity: Severity
  readonly message: string
}

/** Collects what reading and resolving a configuration finds. */
export class Diagnostics {
  readonly #all: Diagnostic[] = []

  error(place: SourceLocation, message: string): void {
    this.#report('error', place, message)
  }

  broken(place: SourceLocation, message: string): void {
    this.#report('broken', place, message)
  }

  warning(place: SourceLocation, message: string): void {
    this.#report('warning', place, message)
  }

  lint(place: SourceLocation, message: string): void {
    this.#report('lint', place, message)
  }

  /** Takes over what was found apart. */
  add(diagnostic: Diagnostic): void {
    this.#all.push(diagnostic)
  }

  /** A sentence that quotes a declaration quotes none of its secrets: it is printed, logged and answered. */
  #report(severity: Severity, { file, line, key }: SourceLocation, message: string): void {
    this.#all.push({ severity, file, line, key, message: replaceSecrets(message, () => SECRET_MARKER) })
  }

  /** The diagnostics of these severities in reading order, each once. */
  list(...severities: Severity[]): Diagnostic[] {
    const listed = this.#all.filter(({ severity }) => severities.includes(severity))
    return [...new Map(listed.map((one) => [JSON.stringify(one), one])).values()].sort(inReadingOrder)
  }
}

/** city.toml first, since an error in it causes errors elsewhere; then by file and line. */
function inReadingOrder(a: Diagnostic, b: Diagnostic): number {
  const rank = ({ file }: Diagnostic) => (file === CITY_FILE ? '' : file)
  if (rank(a) === rank(b)) return a.line - b.line
  return rank(a) < rank(b) ? -1 : 1
}

/** `city.toml:12: [[rigs]] prefix: must be …`. */
export const formatDiagnostic = ({ file, line, key, message }: Diagnostic): string =>
  `${file}:${line}: ${key ? `${key}: ` : ''}${message}`

/** Files that cannot be applied, as one error with a line for each diagnostic. */
export function toInvalidConfigError(
  diagnostics: readonly Diagnostic[],
  code: 'invalid-request' | 'validation-failed',
): AppError {
  const fieldErrors = diagnostics.map(({ file, line, key, message }) => ({
    location: `${file}:${line}`,
    message: key ? `${key}: ${message}` : message,
  }))
  return new AppError(code, diagnostics.map(formatDiagnostic).join('\n'), { fieldErrors })
}

/** Error of an edit while the files on disk are invalid. */
export function notInForceError(errors: readonly Diagnostic[]): AppError {
  const reason = errors.map(formatDiagnostic).join('\n')
  const message = `the configuration on disk has errors and is not applied; fix them first:\n${reason}`
  return new AppError('conflict-wrong-state', message)
}
