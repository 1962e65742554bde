import { errorMessage } from '../../core/errors.ts'
import { type Boundary, boundaryOf, cursorAfter } from '../../http/cursor.ts'
import { pageSize } from '../../http/schema.ts'
import { NEWEST, type SessionPosition } from './closed-sessions.ts'
import type { SessionHost } from './host.ts'
import type { BuiltParts } from './parts.ts'
import type { SessionList, SessionResponse } from './schema.ts'
import type { SessionRow } from './table.ts'
import { isRunning } from './view.ts'

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
  const limit = pageSize(query.limit)
  const wanted = { states: states.length > 0 ? states : ['open'], template: query.template || undefined }
  const after = boundary ? placeOf(boundary) : NEWEST
  const { rows, total } = book.page(wanted, after, limit + 1)
  const page = rows.slice(0, limit)
  const errors: string[] = []
  const items = await Promise.all(page.map((row) => shown(row)))
  const last = page.at(-1)
  return {
    items,
    total,
    ...(last && rows.length > limit && { next_cursor: cursorAfter({ createdAt: at(last), id: last.id }) }),
    ...(errors.length > 0 && { partial: true, partial_errors: errors }),
  }

  async function shown(row: SessionRow): Promise<SessionResponse> {
    if (!query.peek || !row.hostKey || !isRunning(row)) return view.show(row)
    try {
      const { lines } = await host.screen(row.hostKey, PEEKED)
      return view.show(row, { lastOutput: lines.slice(-PEEKED).join('\n').trimEnd() })
    } catch (error) {
      errors.push(`session ${row.id}: ${errorMessage(error)}`)
      return view.show(row)
    }
  }
}

const at = (row: SessionRow): string => new Date(row.createdAt).toISOString()

const placeOf = ({ createdAt, id }: Boundary): SessionPosition => ({
  createdAt: createdAt === undefined ? NEWEST.createdAt : Date.parse(createdAt),
  id,
})
