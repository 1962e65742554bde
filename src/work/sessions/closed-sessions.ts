import { type Statement, type Store, stablePlan } from '../../core/store/index.ts'

/** A position in a list that is sorted newest first. */
export interface SessionPosition {
  createdAt: number
  id: string
}

export const NEWEST: SessionPosition = { createdAt: Number.MAX_SAFE_INTEGER, id: '' }

type PageStatement = Statement<{ id: string }, (string | number)[]>

/** Pages of closed sessions, and their counts from a maintained counter. */
export class ClosedSessions {
  readonly #page: PageStatement
  readonly #pageByTemplate: PageStatement
  readonly #countAll: Statement<{ n: number }, []>
  readonly #countByTemplate: Statement<{ n: number }, [string]>

  constructor(store: Store) {
    const preparePage = (condition: string): PageStatement =>
      store.prepare(
        stablePlan(`SELECT id FROM sessions WHERE ${condition} (created_at, id) < (?, ?) AND state = 'closed'
         ORDER BY created_at DESC, id DESC LIMIT ?`),
      )
    this.#page = preparePage('')
    this.#pageByTemplate = preparePage('template = ? AND')
    this.#countAll = store.prepare('SELECT coalesce(sum(n), 0) AS n FROM closed_sessions')
    this.#countByTemplate = store.prepare('SELECT n FROM closed_sessions WHERE template = ?')
  }

  /** The ids of closed sessions after a position, newest first; of one template, or of all. */
  page(template: string | undefined, { createdAt, id }: SessionPosition, limit: number): string[] {
    const rows =
      template === undefined
        ? this.#page.all(createdAt, id, limit)
        : this.#pageByTemplate.all(template, createdAt, id, limit)
    return rows.map((row) => row.id)
  }

  count(template: string | undefined): number {
    return (template === undefined ? this.#countAll.get() : this.#countByTemplate.get(template))?.n ?? 0
  }
}
