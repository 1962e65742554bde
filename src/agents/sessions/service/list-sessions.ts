import { errorMessage } from '../../../core/errors.ts'
import { type Boundary, cursorAfter, parseBoundaryCursor } from '../../../http/cursor.ts'
import { fillPage } from '../../../http/page.ts'
import { pageSize } from '../../../http/schema.ts'
import { NEWEST, type SessionPosition } from '../closed-sessions.ts'
import type { SessionHost } from '../host.ts'
import type { SessionRepository } from '../repository.ts'
import { isRunning } from '../running.ts'
import type { SessionList, SessionResponse } from '../schema.ts'
import type { SessionRow } from '../table.ts'
import type { SessionView } from './view.ts'

/** Which sessions a list shows. */
export interface SessionQuery {
  /** States, comma-separated; also `open`, `closed` and `all`. */
  state?: string | undefined
  template?: string | undefined
  peek?: boolean | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

const PEEK_LINES = 5

interface ListSessionsOptions {
  repository: SessionRepository
  view: SessionView
  host: Pick<SessionHost, 'screen'>
}

/** A page of sessions, newest first. */
export async function listSessions(
  { repository, view, host }: ListSessionsOptions,
  query: SessionQuery,
): Promise<SessionList> {
  const boundary = parseBoundaryCursor(query.cursor)
  const states = (query.state ?? '').split(',').flatMap((word) => word.trim() || [])
  const limit = pageSize(query.limit)
  const filter = { states: states.length > 0 ? states : ['open'], template: query.template || undefined }
  const after = boundary ? positionOf(boundary) : NEWEST
  const { rows, total } = repository.page(filter, after, limit + 1)
  const errors: string[] = []
  const shown = await Promise.all(rows.slice(0, limit + 1).map(async (row) => ({ row, session: await show(row) })))
  const { items, last } = fillPage(shown, limit, ({ session }) => session)
  return {
    items,
    total,
    ...(last && { next_cursor: cursorAfter({ createdAt: createdAtOf(last.row), id: last.row.id }) }),
    ...(errors.length > 0 && { partial: true, partial_errors: errors }),
  }

  async function show(row: SessionRow): Promise<SessionResponse> {
    if (!query.peek || !row.hostKey || !isRunning(row)) return view.show(row)
    try {
      const { lines } = await host.screen(row.hostKey, PEEK_LINES)
      return view.show(row, { lastOutput: lines.slice(-PEEK_LINES).join('\n').trimEnd() })
    } catch (error) {
      errors.push(`session ${row.id}: ${errorMessage(error)}`)
      return view.show(row)
    }
  }
}

const createdAtOf = (row: SessionRow): string => new Date(row.createdAt).toISOString()

const positionOf = ({ createdAt, id }: Boundary): SessionPosition => ({
  createdAt: createdAt === undefined ? NEWEST.createdAt : Date.parse(createdAt),
  id,
})
