import { paint, sanitizeLine, sanitizeLines, truncate } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import { Exit } from '../io/exit.ts'
import type { Io } from '../io/io.ts'

const SCHEMA_VERSION = 1

/** How the answers of one call of `bd` are printed. */
export class Printer {
  constructor(
    readonly io: Io,
    readonly json: boolean,
  ) {}

  /**
   * Prints a value the way programs parse it: keys in order, two spaces. Flat, an object carries the version of the
   * schema among its own keys and a list carries none; with `BD_JSON_ENVELOPE=1` everything is in an envelope.
   */
  value(value: object): void {
    const wrapped =
      this.io.env.BD_JSON_ENVELOPE === '1' ? { data: value, schema_version: SCHEMA_VERSION } : withSchemaVersion(value)
    this.io.out(`${JSON.stringify(sortKeys(wrapped), null, 2)}\n`)
  }

  line(text: string): void {
    this.io.out(`${text}\n`)
  }

  /** Says what is wrong with one of several things, and goes on. */
  error(text: string): void {
    this.io.err(`Error: ${sanitizeLines(text)}\n`)
  }

  /** The end of a call that failed: as JSON on standard output when JSON is wanted, else a line on standard error. */
  failure(message: string, status = 1): Exit {
    if (this.json) this.value({ error: message })
    else this.error(message)
    return new Exit(status)
  }

  /** One bead on one line. */
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

/** The same value with the keys of every object in order. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]))
}
