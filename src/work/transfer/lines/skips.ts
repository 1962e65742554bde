import { AppError, type FieldError } from '../../../core/errors.ts'
import type { SkippedLine } from '../schema.ts'

/** Maximum lines of one import that are listed; all are counted. */
const MAX_LISTED = 1000
/** Maximum kinds that are counted by their name. */
const MAX_KINDS = 50
const OTHER = 'other'

/** Skipped lines of an import, as sent between threads. */
export interface SkippedLines {
  readonly counts: Record<string, number>
  readonly lines: SkippedLine[]
}

/** Counts and lists the lines that an import leaves out. */
export class Skips {
  readonly #counts = new Map<string, number>()
  readonly #lines: SkippedLine[] = []

  add({ kind, ...line }: SkippedLine): void {
    const counted = this.#counts.has(kind) || this.#counts.size < MAX_KINDS ? kind : OTHER
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1)
    if (this.#lines.length < MAX_LISTED) this.#lines.push({ kind: counted, ...line })
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Adds what another thread counted. */
  merge({ counts, lines }: SkippedLines): void {
    for (const [kind, count] of Object.entries(counts)) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count)
    this.#lines.push(...lines.slice(0, MAX_LISTED - this.#lines.length))
  }

  toJSON(): SkippedLines {
    return {
      counts: Object.fromEntries(this.#counts),
      lines: this.#lines.toSorted((a, b) => a.line - b.line),
    }
  }
}

/** Maximum invalid lines that one error names. */
const MAX_INVALID = 50

/** Collects the errors of invalid lines, so that one answer names all of them. */
export class InvalidLines {
  readonly #errors: FieldError[] = []
  #count = 0

  /** Parses one line; undefined for an invalid one, whose error is kept. */
  try<T>(parse: () => T): T | undefined {
    try {
      return parse()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#count++
      if (this.#errors.length < MAX_INVALID) this.#errors.push(...error.fieldErrors)
      return undefined
    }
  }

  get any(): boolean {
    return this.#count > 0
  }

  /** Throws when there was an invalid line. */
  check(): void {
    const [first] = this.#errors
    if (!first) return
    const others = this.#count - 1
    const message =
      others === 0
        ? first.message
        : `${first.message}; ${others === 1 ? 'one more line is' : `${others} more lines are`} invalid; nothing is imported`
    throw new AppError('validation-failed', message, { fieldErrors: this.#errors })
  }
}
