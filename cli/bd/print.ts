import { paint, sanitizeLine, sanitizeLines, truncate } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import { Exit } from '../io/exit.ts'
import type { Io } from '../io/io.ts'

const SCHEMA_VERSION = 1

/** Prints the output of one call of `bd`. */
export class Printer {
  constructor(
    readonly io: Io,
    readonly json: boolean,
  ) {}

  /**
   * Prints a value as JSON with sorted keys and an indent of two. An object gets the schema version as one of its keys,
   * a list does not; with `BD_JSON_ENVELOPE=1` every value is put into an envelope.
   */
  value(value: object): void {
    const wrapped =
      this.io.env.BD_JSON_ENVELOPE === '1' ? { data: value, schema_version: SCHEMA_VERSION } : withSchemaVersion(value)
    this.io.out(`${JSON.stringify(sortKeys(wrapped), null, 2)}\n`)
  }

  line(text: string): void {
    this.io.out(`${text}\n`)
  }

  /** Prints an error on standard error. */
  error(text: string): void {
    this.io.err(`Error: ${sanitizeLines(text)}\n`)
  }

  /** Ends a call with an error: with `--json` as JSON on standard output, else on standard error. */
  failure(message: string, status = 1): Exit {
    if (this.json) this.value({ error: message })
    else this.error(message)
    return new Exit(status)
  }

  /** Prints a bead on one line. */
  bead(bead: Bead, indent = ''): void {
    const head = `${indent}${STATUS_MARKS[bead.status] ?? '○'} ${bead.id} ${formatPriority(bead)}`
    const title = sanitizeLine(bead.title)
    const kind = bead.issue_type === 'task' ? '' : `[${sanitizeLine(bead.issue_type)}] `
    const text = `${head} ${kind}${title}`
    const cutText = this.io.width === undefined ? text : truncate(text, this.io.width)
    this.line(bead.status === 'closed' ? paint(cutText, 'dim', this.io.colour) : cutText)
  }
}

const STATUS_MARKS: Record<string, string> = { open: '○', in_progress: '◐', closed: '✓' }

export const formatPriority = (bead: Bead): string => `P${bead.priority ?? 2}`

function withSchemaVersion(value: object): object {
  return Array.isArray(value) ? value : { ...value, schema_version: SCHEMA_VERSION }
}

/** The value with the keys of every object sorted. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]))
}
