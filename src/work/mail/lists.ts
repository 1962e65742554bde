import { toTimestamp } from '../../core/clock.ts'
import { type Query, query, type Store, stablePlan } from '../../core/store/index.ts'
import { cursorAfter, fillPage, MAX_RESPONSE_BYTES, parseBoundaryCursor } from '../../http/respond/index.ts'
import { pageSize } from '../../http/schema.ts'
import { MESSAGE_COLUMNS, messageMetadata, type StoredMessage, toMessage } from './message.ts'
import type { MailCountOutputBody, MailListBody } from './schema.ts'

/** The recipient under which the mail of everyone is counted. */
const EVERYONE = ''
/** Less than every id, so that a boundary excludes what has its very time. */
const LOWEST_ID = ''

/** Notice of a thread that is incomplete. */
const THREAD_IS_PARTIAL =
  'the thread has more than 64 MB; these are its oldest messages, and GET mail with status=all lists all mail page by page'

interface PageRequest {
  cursor?: string | undefined
  limit?: number | undefined
}

interface MailCount {
  total: number
  unread: number
}

const COUNTS = query<
  MailCount,
  [string]
>(`SELECT coalesce(sum(total), 0) AS total, coalesce(sum(unread), 0) AS unread FROM mail_counts
       WHERE recipient IN (SELECT value FROM json_each(?))`)

const BY_ID = query<StoredMessage, [string]>(
  stablePlan(`SELECT ${MESSAGE_COLUMNS} FROM messages m JOIN beads b ON b.id = m.id WHERE m.id = ?`),
)

const BY_IDS = query<StoredMessage, [string]>(`SELECT ${MESSAGE_COLUMNS}
       FROM json_each(?) ids CROSS JOIN messages m ON m.id = ids.value JOIN beads b ON b.id = m.id`)

const THREAD = query<StoredMessage, [string]>(
  stablePlan(`SELECT ${MESSAGE_COLUMNS} FROM messages m JOIN beads b ON b.id = m.id
       WHERE m.thread = ? AND m.open = 1 ORDER BY m.created_at, length(m.id), m.id`),
)

/** A name that a person gave proves nothing, but it separates a script's mail from their own. */
const UNREAD_FROM_OTHERS = `FROM messages m CROSS JOIN beads b ON b.id = m.id
  WHERE m.open = 1 AND m.read = 0 AND m.recipient = ?
    AND b.sender <> 'gc' AND (b.sender <> 'human' OR m.from_claimed IS NOT NULL)`

const UNREAD_PAGE = query<StoredMessage, [string, number]>(
  stablePlan(`SELECT ${MESSAGE_COLUMNS} ${UNREAD_FROM_OTHERS} ORDER BY m.created_at DESC, m.id DESC LIMIT ?`),
)

const COUNT_FROM_OTHERS = query<{ n: number }, [string]>(stablePlan(`SELECT count(*) AS n ${UNREAD_FROM_OTHERS}`))

const THREAD_LENGTH = query<{ n: number }, [string]>('SELECT count(*) AS n FROM messages WHERE thread = ? AND open = 1')

const THREAD_COUNT = query<{ n: number }, [string]>(
  'SELECT count(DISTINCT thread) AS n FROM mail_threads WHERE recipient IN (SELECT value FROM json_each(?))',
)

/** Pages of mail by their SQL: one for each number of routes. */
const PAGES = new Map<string, Query<StoredMessage, (string | number)[]>>()

function pageOf(sql: string): Query<StoredMessage, (string | number)[]> {
  const known = PAGES.get(sql)
  if (known) return known
  const page = query<StoredMessage, (string | number)[]>(stablePlan(sql))
  PAGES.set(sql, page)
  return page
}

/** Reads stored messages. */
export class MailLists {
  constructor(private readonly store: Store) {}

  find(id: string): StoredMessage | undefined {
    return this.store.get(BY_ID, id) ?? undefined
  }

  /** Metadata of the beads of messages. */
  metadata(ids: readonly string[]): Map<string, Record<string, string>> {
    return new Map(this.store.all(BY_IDS, JSON.stringify(ids)).map((row) => [row.id, messageMetadata(row)]))
  }

  /** Open mail at these routes, or everyone's, newest first. */
  list(routes: readonly string[] | undefined, unread: boolean, page: PageRequest, rig: string): MailListBody {
    const count = this.count(routes)
    const branches = routes ?? [undefined]
    return this.#page(inboxQuery(branches, unread), branches, page, rig, unread ? count.unread : count.total)
  }

  /** The newest unread messages at these routes. */
  unread(routes: readonly string[], limit: number): StoredMessage[] {
    const values = routes.flatMap((route) => [route, Number.MAX_SAFE_INTEGER, LOWEST_ID, limit])
    return this.store.all(pageOf(inboxQuery(routes, true)), ...values, limit)
  }

  /** The newest unread messages at a route that neither `human` nor gc sent, and how many there are. */
  unreadFromOthers(route: string, limit: number): { messages: StoredMessage[]; unread: number } {
    const messages = this.store.all(UNREAD_PAGE, route, limit)
    const unread = messages.length < limit ? messages.length : (this.store.get(COUNT_FROM_OTHERS, route)?.n ?? 0)
    return { messages, unread }
  }

  /** Threads with open mail at these routes, or anyone's: the newest message of each. */
  threads(routes: readonly string[] | undefined, page: PageRequest, rig: string): MailListBody {
    const branches = routes ?? [EVERYONE]
    const total = this.store.get(THREAD_COUNT, JSON.stringify(branches))?.n ?? 0
    return this.#page(threadsQuery(branches), branches, page, rig, total)
  }

  /** The open messages of a thread, oldest first. */
  thread(id: string, rig: string): MailListBody {
    const thread = this.find(id)?.thread ?? id
    const rows = this.store.iterate(THREAD, thread)
    const bounds = { maxBytes: MAX_RESPONSE_BYTES }
    const { items, last } = fillPage(rows, Number.POSITIVE_INFINITY, (row) => toMessage(row, rig), bounds)
    if (!last) return { items, total: items.length }
    const total = this.store.get(THREAD_LENGTH, thread)?.n ?? items.length
    return { items, total, partial: true, partial_errors: [THREAD_IS_PARTIAL] }
  }

  count(routes: readonly string[] | undefined): MailCountOutputBody {
    return this.store.get(COUNTS, JSON.stringify(routes ?? [EVERYONE])) ?? { total: 0, unread: 0 }
  }

  #page(
    sql: string,
    branches: readonly (string | undefined)[],
    { cursor, limit: requested }: PageRequest,
    rig: string,
    total: number,
  ): MailListBody {
    const boundary = parseBoundaryCursor(cursor)
    const limit = pageSize(requested)
    const from = boundary ? Date.parse(boundary.createdAt ?? '') || 0 : Number.MAX_SAFE_INTEGER
    const values = branches.flatMap((route) => [
      ...(route === undefined ? [] : [route]),
      from,
      boundary?.id ?? LOWEST_ID,
      limit + 1,
    ])
    const rows = this.store.iterate(pageOf(sql), ...values, limit + 1)
    const { items, last } = fillPage(rows, limit, (row) => toMessage(row, rig))
    return {
      items,
      total,
      ...(last && { next_cursor: cursorAfter({ createdAt: toTimestamp(last.created_at), id: last.id }) }),
    }
  }
}

const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC LIMIT ?'

/** Each branch reads one index in order, and no more than a page of it. */
function inboxQuery(branches: readonly (string | undefined)[], unread: boolean): string {
  const select = (route: string | undefined) => {
    const terms = [
      'm.open = 1',
      ...(unread ? ['m.read = 0'] : []),
      ...(route === undefined ? [] : ['m.recipient = ?']),
      '(m.created_at, m.id) < (?, ?)',
    ]
    return `SELECT * FROM (
      SELECT ${MESSAGE_COLUMNS} FROM messages m CROSS JOIN beads b ON b.id = m.id
      WHERE ${terms.join(' AND ')} ORDER BY m.created_at DESC, m.id DESC LIMIT ?
    )`
  }
  return `${branches.map(select).join(' UNION ALL ')} ${NEWEST_FIRST}`
}

/** A thread that is at several routes of one reader is listed once. Each branch reads no more than a page. */
function threadsQuery(branches: readonly unknown[]): string {
  const branch = `SELECT * FROM (
      SELECT ${MESSAGE_COLUMNS} FROM mail_threads t
      CROSS JOIN messages m ON m.id = t.newest CROSS JOIN beads b ON b.id = m.id
      WHERE t.recipient = ? AND (t.newest_at, t.newest) < (?, ?) ORDER BY t.newest_at DESC, t.newest DESC LIMIT ?
    )`
  return `${branches.map(() => branch).join(' UNION ')} ${NEWEST_FIRST}`
}
