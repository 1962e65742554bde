import { sentence } from '../../core/errors.ts'
import { boundaryOf, cursorAfter } from '../../server/cursor.ts'
import { pageSize } from '../../server/schema.ts'
import type { SessionHost } from './host.ts'
import type { BuiltParts } from './parts.ts'
import type { SessionList, SessionResponse } from './schema.ts'
import type { SessionRow } from './table.ts'
import { runs } from './view.ts'

/** Which sessions a list shows. */
export interface SessionQuery {
  /** States, comma-separated; also `open`, `closed` and `all`. */
  state?: string | undefined
  template?: string | undefined
  peek?: boolean | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

const PEEKED = 5

/** A page of sessions, newest first. */
export async function list(
  { book, view }: Pick<BuiltParts, 'book' | 'view'>,
  host: Pick<SessionHost, 'screen'>,
  query: SessionQuery,
): Promise<SessionList> {
  const boundary = boundaryOf(query.cursor)
  const states = (query.state ?? '').split(',').flatMap((word) => word.trim() || [])
  const matching = book.select({ states: states.length > 0 ? states : ['open'], template: query.template || undefined })
  const from = boundary ? matching.findIndex((row) => after(row, boundary)) : 0
  const rest = from < 0 ? [] : matching.slice(from)
  const page = rest.slice(0, pageSize(query.limit))
  const errors: string[] = []
  const items = await Promise.all(page.map((row) => shown(row)))
  const last = page.at(-1)
  return {
    items,
    total: matching.length,
    ...(last && rest.length > page.length && { next_cursor: cursorAfter({ createdAt: at(last), id: last.id }) }),
    ...(errors.length > 0 && { partial: true, partial_errors: errors }),
  }

  async function shown(row: SessionRow): Promise<SessionResponse> {
    if (!query.peek || !row.hostKey || !runs(row)) return view.show(row)
    try {
      const { lines } = await host.screen(row.hostKey, PEEKED)
      return view.show(row, { lastOutput: lines.slice(-PEEKED).join('\n').trimEnd() })
    } catch (thrown) {
      errors.push(`session ${row.id}: ${sentence(thrown)}`)
      return view.show(row)
    }
  }
}

const at = (row: SessionRow): string => new Date(row.createdAt).toISOString()

/** Whether a row comes after the last one of the page before. */
function after(row: SessionRow, { createdAt, id }: { createdAt?: string; id: string }): boolean {
  const bound = createdAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(createdAt)
  return row.createdAt < bound || (row.createdAt === bound && row.id < id)
}
