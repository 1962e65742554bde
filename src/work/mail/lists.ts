import type { Statement } from 'bun:sqlite'
import { toTimestamp } from '../../core/clock.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { boundaryOf, cursorAfter } from '../../http/cursor.ts'
import { pageSize } from '../../http/schema.ts'
import { LETTER, type LetterRow, metadataOf, toMessage } from './letter.ts'
import type { MailCountOutputBody, MailListBody, Message } from './schema.ts'

/** Everyone, where mail is counted by recipient. */
const EVERYONE = ''
/** Below every id, so that rows before a moment are all that come after it in a list. */
const NO_ID = ''

interface Page {
  cursor?: string | undefined
  limit?: number | undefined
}

interface Count {
  total: number
  unread: number
}

/** Everything that reads more than one message. */
export class MailLists {
  readonly #pages = new Map<string, Statement<LetterRow, (string | number)[]>>()
  readonly #counts: Statement<Count, [string]>
  readonly #one: Statement<LetterRow, [string]>
  readonly #some: Statement<LetterRow, [string]>
  readonly #thread: Statement<LetterRow, [string]>
  readonly #threads: Statement<{ n: number }, [string]>

  constructor(private readonly store: Store) {
    this.#counts = store.prepare(
      `SELECT coalesce(sum(total), 0) AS total, coalesce(sum(unread), 0) AS unread FROM mail_counts
       WHERE recipient IN (SELECT value FROM json_each(?))`,
    )
    this.#one = store.prepare(stablePlan(`SELECT ${LETTER} FROM messages m JOIN beads b ON b.id = m.id WHERE m.id = ?`))
    this.#some = store.prepare(
      `SELECT ${LETTER} FROM json_each(?) ids CROSS JOIN messages m ON m.id = ids.value JOIN beads b ON b.id = m.id`,
    )
    this.#thread = store.prepare(
      stablePlan(`SELECT ${LETTER} FROM messages m JOIN beads b ON b.id = m.id
       WHERE m.thread = ? AND m.open = 1 ORDER BY m.created_at, length(m.id), m.id`),
    )
    this.#threads = store.prepare(
      'SELECT count(DISTINCT thread) AS n FROM mail_threads WHERE recipient IN (SELECT value FROM json_each(?))',
    )
  }

  row(id: string): LetterRow | undefined {
    return this.#one.get(id) ?? undefined
  }

  /** What the beads of messages show as metadata. */
  metadata(ids: readonly string[]): Map<string, Record<string, string>> {
    return new Map(this.#some.all(JSON.stringify(ids)).map((row) => [row.id, metadataOf(row)]))
  }

  /** Open mail at these routes, or everyone's, newest first. */
  list(routes: readonly string[] | undefined, unread: boolean, page: Page, rig: string): MailListBody {
    const count = this.count(routes)
    const arms = routes ?? [undefined]
    return this.#page(boxes(arms, unread), arms, page, rig, unread ? count.unread : count.total)
  }

  /** The newest unread messages at these routes. */
  unread(routes: readonly string[], most: number): LetterRow[] {
    const values = routes.flatMap((route) => [route, Number.MAX_SAFE_INTEGER, NO_ID, most])
    return this.#statement(boxes(routes, true)).all(...values, most)
  }

  /** Threads with open mail at these routes, or anyone's: the newest message of each. */
  threads(routes: readonly string[] | undefined, page: Page, rig: string): MailListBody {
    const arms = routes ?? [EVERYONE]
    const total = this.#threads.get(JSON.stringify(arms))?.n ?? 0
    return this.#page(heads(arms), arms, page, rig, total)
  }

  /** What is open of a thread, oldest first. */
  thread(id: string, rig: string): Message[] {
    return this.#thread.all(this.row(id)?.thread ?? id).map((row) => toMessage(row, rig))
  }

  count(routes: readonly string[] | undefined): MailCountOutputBody {
    return this.#counts.get(JSON.stringify(routes ?? [EVERYONE])) ?? { total: 0, unread: 0 }
  }

  #page(sql: string, arms: readonly (string | undefined)[], page: Page, rig: string, total: number): MailListBody {
    const boundary = boundaryOf(page.cursor)
    const limit = pageSize(page.limit)
    const from = boundary ? Date.parse(boundary.createdAt ?? '') || 0 : Number.MAX_SAFE_INTEGER
    const values = arms.flatMap((arm) => [...(arm === undefined ? [] : [arm]), from, boundary?.id ?? NO_ID, limit + 1])
    const rows = this.#statement(sql).all(...values, limit + 1)
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    return {
      items: shown.map((row) => toMessage(row, rig)),
      total,
      ...(last && { next_cursor: cursorAfter({ createdAt: toTimestamp(last.created_at), id: last.id }) }),
    }
  }

  #statement(sql: string): Statement<LetterRow, (string | number)[]> {
    const known = this.#pages.get(sql)
    if (known) return known
    const statement = this.store.prepare<LetterRow, (string | number)[]>(stablePlan(sql))
    this.#pages.set(sql, statement)
    return statement
  }
}

const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC LIMIT ?'

/** Each arm reads one index in order, and no more than a page of it. */
function boxes(arms: readonly (string | undefined)[], unread: boolean): string {
  const select = (arm: string | undefined) => {
    const terms = [
      'm.open = 1',
      ...(unread ? ['m.read = 0'] : []),
      ...(arm === undefined ? [] : ['m.recipient = ?']),
      '(m.created_at, m.id) < (?, ?)',
    ]
    return `SELECT * FROM (
      SELECT ${LETTER} FROM messages m CROSS JOIN beads b ON b.id = m.id
      WHERE ${terms.join(' AND ')} ORDER BY m.created_at DESC, m.id DESC LIMIT ?
    )`
  }
  return `${arms.map(select).join(' UNION ALL ')} ${NEWEST_FIRST}`
}

/** A thread may be several routes' of the same reader; it is listed once. Each arm gives no more than a page. */
function heads(arms: readonly unknown[]): string {
  const arm = `SELECT * FROM (
      SELECT ${LETTER} FROM mail_threads t
      CROSS JOIN messages m ON m.id = t.newest CROSS JOIN beads b ON b.id = m.id
      WHERE t.recipient = ? AND (t.newest_at, t.newest) < (?, ?) ORDER BY t.newest_at DESC, t.newest DESC LIMIT ?
    )`
  return `${arms.map(() => arm).join(' UNION ')} ${NEWEST_FIRST}`
}
