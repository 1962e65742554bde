import type { Statement } from 'bun:sqlite'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'

/** A place in a list, newest first: what comes after it is older. */
export interface SessionPosition {
  createdAt: number
  id: string
}

export const NEWEST: SessionPosition = { createdAt: Number.MAX_SAFE_INTEGER, id: '' }

type Page = Statement<{ id: string }, (string | number)[]>

/** Sessions that are over, which are many, a page at a time and counted without being read. */
export class ClosedSessions {
  readonly #all: Page
  readonly #of: Page
  readonly #countAll: Statement<{ n: number }, []>
  readonly #countOf: Statement<{ n: number }, [string]>

  constructor(store: Store) {
    const page = (terms: string): Page =>
      store.prepare(
        stablePlan(`SELECT id FROM sessions WHERE ${terms} (created_at, id) < (?, ?) AND state = 'closed'
         ORDER BY created_at DESC, id DESC LIMIT ?`),
      )
    this.#all = page('')
    this.#of = page('template = ? AND')
    this.#countAll = store.prepare('SELECT coalesce(sum(n), 0) AS n FROM closed_sessions')
    this.#countOf = store.prepare('SELECT n FROM closed_sessions WHERE template = ?')
  }

  /** The ids of closed sessions after a place, newest first; of one agent, or of all. */
  page(template: string | undefined, { createdAt, id }: SessionPosition, most: number): string[] {
    const rows =
      template === undefined ? this.#all.all(createdAt, id, most) : this.#of.all(template, createdAt, id, most)
    return rows.map((row) => row.id)
  }

  count(template: string | undefined): number {
    return (template === undefined ? this.#countAll.get() : this.#countOf.get(template))?.n ?? 0
  }
}
