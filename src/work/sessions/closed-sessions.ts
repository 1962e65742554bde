import { query, type Store, stablePlan } from '../../core/store/index.ts'

/** A position in a list that is sorted newest first. */
export interface SessionPosition {
  createdAt: number
  id: string
}

export const NEWEST: SessionPosition = { createdAt: Number.MAX_SAFE_INTEGER, id: '' }

const page = (condition: string) =>
  query<{ id: string }, (string | number)[]>(
    stablePlan(`SELECT id FROM sessions WHERE ${condition} (created_at, id) < (?, ?) AND state = 'closed'
      ORDER BY created_at DESC, id DESC LIMIT ?`),
  )

const PAGE = page('')

const PAGE_OF_TEMPLATE = page('template = ? AND')

const COUNT = query<{ n: number }>('SELECT coalesce(sum(n), 0) AS n FROM closed_sessions')

const COUNT_OF_TEMPLATE = query<{ n: number }, [string]>('SELECT n FROM closed_sessions WHERE template = ?')

/** Pages of closed sessions, and their counts from a maintained counter. */
export class ClosedSessions {
  constructor(private readonly store: Store) {}

  /** The ids of closed sessions after a position, newest first; of one template, or of all. */
  page(template: string | undefined, { createdAt, id }: SessionPosition, limit: number): string[] {
    const rows =
      template === undefined
        ? this.store.all(PAGE, createdAt, id, limit)
        : this.store.all(PAGE_OF_TEMPLATE, template, createdAt, id, limit)
    return rows.map((row) => row.id)
  }

  count(template: string | undefined): number {
    const { store } = this
    return (template === undefined ? store.get(COUNT) : store.get(COUNT_OF_TEMPLATE, template))?.n ?? 0
  }
}
