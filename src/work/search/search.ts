import type { Statement } from 'bun:sqlite'
import { matchAllTerms, parseSearchTerms } from '../../core/search-terms.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import { cursorAfterKey, keyOf } from '../../http/cursor.ts'
import { pageSize } from '../../http/schema.ts'
import type { Beads } from '../beads/beads.ts'
import type { BeadSearch, BeadsFound } from './schema.ts'
import { WordIndex, type WordIndexNeeds } from './word-index.ts'

/** How many matches one request looks at: a word that is everywhere costs no more than one that is rare. */
const LOOK = 2_000

export interface SearchNeeds extends WordIndexNeeds {
  /** The name of the city. */
  city: string
  beads: Beads
}

type Choice = [string, string | null, string | null, string | null, number]

/** Finds beads by their words and by those of the comments on them. */
export class Search {
  /** Runs beside the city, so that what is written can be found. */
  readonly words: WordIndex
  readonly #matches: Statement<{ n: number }, [string, number, number]>
  readonly #chosen: Statement<{ n: number; id: string }, Choice>

  constructor(private readonly needs: SearchNeeds) {
    const { store } = needs
    this.words = new WordIndex(needs)
    this.#matches = store.prepare(
      stablePlan(
        'SELECT rowid / 1024 AS n FROM bead_search WHERE bead_search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
      ),
    )
    this.#chosen = store.prepare(
      stablePlan(`SELECT n, id FROM beads WHERE n IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR status = ?2)
       AND (?3 IS NULL OR type = ?3) AND (?4 IS NULL OR rig = ?4) ORDER BY n DESC LIMIT ?5`),
    )
  }

  /** A page, the last put on record first. */
  async find({ q, status, type, rig, cursor, limit }: BeadSearch): Promise<BeadsFound> {
    const [below] = keyOf(cursor, 'beads-found', 1) ?? [Number.MAX_SAFE_INTEGER / 1024]
    const words = parseSearchTerms(q)
    if (words.length === 0) return { items: [] }
    await this.words.settle()
    const size = pageSize(limit)
    const rows = this.#matches.all(matchAllTerms(words), Math.floor((below ?? 0) * 1024), LOOK)
    const numbers = [...new Set(rows.map(({ n }) => n))]
    const place = rig === this.needs.city ? '' : rig || null
    const chosen = this.#chosen.all(JSON.stringify(numbers), status || null, type || null, place, size + 1)
    const shown = chosen.slice(0, size)
    const last = chosen.length > size ? shown.at(-1)?.n : rows.length === LOOK ? numbers.at(-1) : undefined
    return {
      items: this.#inOrder(shown),
      ...(last !== undefined && { next_cursor: cursorAfterKey('beads-found', [last]) }),
    }
  }

  #inOrder(shown: readonly { id: string }[]): BeadsFound['items'] {
    const beads = new Map(this.needs.beads.some(shown.map(({ id }) => id)).map((bead) => [bead.id, bead]))
    return shown.flatMap(({ id }) => beads.get(id) ?? [])
  }
}
