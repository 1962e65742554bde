import { matchAllTerms, matchTermPrefixes, parseSearchTerms } from '../../core/search-terms.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Statement } from '../../core/statement.ts'
import { cursorAfterKey, parseKeyCursor } from '../../http/cursor.ts'
import { fillPage, inBatches } from '../../http/page.ts'
import { pageSize } from '../../http/schema.ts'
import type { BeadRepository } from '../beads/repository.ts'
import type { BeadSearch, BeadsFound } from './schema.ts'
import { WordIndex, type WordIndexOptions } from './word-index.ts'

/** How many matches one request examines, so that a frequent word costs no more than a rare one. */
const MAX_MATCHES = 2_000

/** How many of the beads of a page are read at once. */
const BATCH = 32

export interface SearchOptions extends WordIndexOptions {
  /** The name of the city. */
  city: string
  beads: BeadRepository
}

type Selection = [string, string | null, string | null, string | null, number]

/** Finds beads by their words and by those of the comments on them. */
export class Search {
  /** Runs beside the city, so that what is written can be found. */
  readonly words: WordIndex
  readonly #matches: Statement<{ n: number }, [string, number, number]>
  readonly #select: Statement<{ n: number; id: string }, Selection>

  constructor(private readonly options: SearchOptions) {
    const { store } = options
    this.words = new WordIndex(options)
    this.#matches = store.prepare(
      stablePlan(
        'SELECT rowid / 1024 AS n FROM bead_search WHERE bead_search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
      ),
    )
    this.#select = store.prepare(
      stablePlan(`SELECT n, id FROM beads WHERE n IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR status = ?2)
       AND (?3 IS NULL OR type = ?3) AND (?4 IS NULL OR rig = ?4) ORDER BY n DESC LIMIT ?5`),
    )
  }

  /** A page, the bead that was stored last first. */
  async find({ q = '', prefixes = false, status, type, rig, cursor, limit }: BeadSearch): Promise<BeadsFound> {
    const [below] = parseKeyCursor(cursor, 'beads-found', 1) ?? [Number.MAX_SAFE_INTEGER / 1024]
    const words = parseSearchTerms(q)
    if (words.length === 0) return { items: [] }
    await this.words.settle()
    const wanted = prefixes ? matchTermPrefixes(words) : matchAllTerms(words)
    const size = pageSize(limit)
    const matches = this.#matches.all(wanted, Math.floor((below ?? 0) * 1024), MAX_MATCHES)
    const numbers = [...new Set(matches.map(({ n }) => n))]
    const rigName = rig === this.options.city ? '' : rig || null
    const selected = this.#select.all(JSON.stringify(numbers), status || null, type || null, rigName, size + 1)
    const rows = inBatches(selected, BATCH, (batch) => this.#withBeads(batch))
    const page = fillPage(rows, size, ({ bead }) => bead)
    const last = page.last?.n ?? (matches.length === MAX_MATCHES ? numbers.at(-1) : undefined)
    return {
      items: page.items,
      ...(last !== undefined && { next_cursor: cursorAfterKey('beads-found', [last]) }),
    }
  }

  #withBeads(rows: readonly { n: number; id: string }[]) {
    const beads = new Map(this.options.beads.list(rows.map(({ id }) => id)).map((bead) => [bead.id, bead]))
    return rows.flatMap(({ n, id }) => {
      const bead = beads.get(id)
      return bead ? [{ n, bead }] : []
    })
  }
}
