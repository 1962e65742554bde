import type { KeepRule, RestoreOutcome } from '../beads/restorer.ts'
import type { BulkImported } from './bulk/bulk-importer.ts'
import { type ImportedLine, isSkipped, type LineContext, readLine } from './lines/line.ts'
import { InvalidLines, Skips } from './lines/skips.ts'
import type { BeadsImported } from './schema.ts'

/** A bead that was read, with the number of its line. */
export interface NumberedBead {
  readonly line: number
  readonly bead: ImportedLine
}

/** One import while it runs: reads its lines, and counts the outcome of each. */
export class ImportRun {
  readonly #skips = new Skips()
  readonly #counts = { created: 0, updated: 0, unchanged: 0 }

  /** `keep` decides which beads that exist are left as they are. */
  constructor(readonly keep: KeepRule) {}

  /** Reads the beads of some lines, the first of which has this number; throws when a line is invalid, naming all that are. */
  read(texts: Iterable<string>, context: LineContext, first = 1): NumberedBead[] {
    const invalid = new InvalidLines()
    const beads: NumberedBead[] = []
    let line = first - 1
    for (const text of texts) {
      line++
      if (text.trim() === '') continue
      const read = invalid.try(() => readLine(text, line, context))
      if (!read) continue
      if (isSkipped(read)) this.#skips.add(read)
      else beads.push({ line, bead: read })
    }
    invalid.check()
    return beads
  }

  count(outcome: RestoreOutcome, line: number, id: string): void {
    if (outcome === 'older' || outcome === 'held') this.#skips.add({ line, kind: outcome, id })
    else this.#counts[outcome]++
  }

  /** Adds what was written of a large file at once. */
  add({ created, unchanged, skipped }: Pick<BulkImported, 'created' | 'unchanged' | 'skipped'>): void {
    this.#counts.created += created
    this.#counts.unchanged += unchanged
    this.#skips.merge(skipped)
  }

  result(): BeadsImported {
    const { counts, lines } = this.#skips.toJSON()
    return { ...this.#counts, skipped: this.#skips.total, skips: counts, skipped_lines: lines }
  }
}
