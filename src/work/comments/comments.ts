import type { Statement } from 'bun:sqlite'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { AppError, invalidField } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import { randomHex } from '../../core/ids.ts'
import { type SaveResponse, withoutReplay } from '../../core/replays/replays.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'
import { cursorAfterKey, keyOf } from '../../http/cursor.ts'
import { pageSize } from '../../http/schema.ts'
import type { Beads } from '../beads/beads.ts'
import { factsOf } from '../beads/events.ts'
import { speaker } from '../speaker.ts'
import { COMMENT_BOUNDS, MOST_COUNTED } from './bounds.ts'
import { BeadCommented } from './events.ts'
import type { BeadComment, BeadCommentCounts, BeadCommentInput, BeadCommentList, CommentPage } from './schema.ts'

interface Row {
  n: number
  id: string
  author: string
  created_at: number
  text: string
}

/** A comment as it was written elsewhere. */
export interface Remark {
  readonly id: string
  readonly author: string
  readonly createdAt: number
  readonly text: string
}

/** Comments of one bead have numbers between these. */
const first = (bead: number): number => bead * 1024
const last = (bead: number): number => bead * 1024 + 1023
const bytes = (text: string): number => Buffer.byteLength(text)

/** What is said on beads, in the order it was said. A comment changes nothing about its bead. */
export class Comments {
  readonly #insert: Statement<unknown, [number, string, string, number, number, string]>
  readonly #update: Statement<unknown, [string, number, number, string, number]>
  readonly #held: Statement<{ n: number; size: number | null; last: number | null }, [number, number]>
  readonly #named: Statement<Row, [number, number, string]>
  readonly #page: Statement<Row, [number, number, number, number, number]>
  readonly #of: Statement<Row, [string]>
  readonly #counts: Statement<{ id: string; n: number }, [string]>

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly beads: Beads,
  ) {
    const columns = 'n, id, author, created_at, text'
    const on = 'beads b CROSS JOIN bead_comments c ON c.n BETWEEN b.n * 1024 AND b.n * 1024 + 1023'
    this.#insert = store.prepare(
      'INSERT INTO bead_comments (n, id, author, created_at, size, text) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#update = store.prepare('UPDATE bead_comments SET author = ?, created_at = ?, size = ?, text = ? WHERE n = ?')
    this.#held = store.prepare(
      'SELECT count(*) AS n, sum(size) AS size, max(n) AS last FROM bead_comments WHERE n BETWEEN ? AND ?',
    )
    this.#named = store.prepare(`SELECT ${columns} FROM bead_comments WHERE n BETWEEN ? AND ? AND id = ?`)
    this.#page = store.prepare(
      stablePlan(`SELECT ${columns} FROM bead_comments WHERE n BETWEEN ? AND ? AND (created_at, n) > (?, ?)
       ORDER BY created_at, n LIMIT ?`),
    )
    this.#of = store.prepare(
      stablePlan(
        `SELECT c.n, c.id, c.author, c.created_at, c.text FROM ${on} WHERE b.id = ? ORDER BY c.created_at, c.n`,
      ),
    )
    this.#counts = store.prepare(
      `SELECT b.id, count(*) AS n FROM ${on} WHERE b.id IN (SELECT value FROM json_each(?)) GROUP BY b.id`,
    )
  }

  /** A page, oldest first. */
  list(id: string, { cursor, limit }: CommentPage): BeadCommentList {
    const bead = this.beads.numberOf(id)
    const size = pageSize(limit)
    const [at = 0, n = 0] = keyOf(cursor, 'bead-comments', 2) ?? [Number.MIN_SAFE_INTEGER, 0]
    const rows = this.#page.all(first(bead), last(bead), at, n, size + 1)
    const shown = rows.slice(0, size)
    const end = rows.length > size ? shown.at(-1) : undefined
    return {
      items: shown.map((row) => toComment(id, row)),
      total: this.#held.get(first(bead), last(bead))?.n ?? 0,
      ...(end && { next_cursor: cursorAfterKey('bead-comments', [end.created_at, end.n]) }),
    }
  }

  /** Every comment on a bead, oldest first. */
  of(id: string): BeadComment[] {
    return this.#of.all(id).map((row) => toComment(id, row))
  }

  /** How many comments there are on each of these beads, their ids separated by commas. */
  count(list: string): BeadCommentCounts {
    const ids = list.split(',').filter((id) => id !== '')
    if (ids.length > MOST_COUNTED) throw tooMany(ids.length)
    const rows = this.#counts.all(JSON.stringify(ids))
    return { counts: Object.fromEntries(rows.map(({ id, n }) => [id, n])) }
  }

  /** Says something in the caller's name. */
  comment(
    caller: Caller,
    id: string,
    { text }: BeadCommentInput,
    once: SaveResponse = withoutReplay,
  ): Promise<BeadComment> {
    if (text.trim() === '') throw wrong('must not be empty')
    if (bytes(text) > COMMENT_BOUNDS.text) throw wrong('is too long: at most 64 KB')
    const author = speaker(caller, undefined)
    return this.store.write((tx) => {
      const remark = { id: `comment-${randomHex(6)}`, author, createdAt: this.clock.now(), text }
      return once(tx, this.#add(tx, id, remark, this.beads.sessionOf(caller)))
    })
  }

  /** Writes a comment exactly as it was elsewhere; whether that changed anything. */
  restore(tx: Tx, id: string, remark: Remark): boolean {
    const bead = this.beads.numberOf(id)
    const known = this.#named.get(first(bead), last(bead), remark.id)
    if (!known) return this.#add(tx, id, remark, undefined) !== undefined
    const { author, createdAt, text } = remark
    if (known.author === author && known.created_at === createdAt && known.text === text) return false
    this.#update.run(author, createdAt, bytes(text), text, known.n)
    this.#record(tx, id, toComment(id, { ...known, author, created_at: createdAt, text }), undefined)
    return true
  }

  #add(tx: Tx, id: string, remark: Remark, session: string | undefined): BeadComment {
    const bead = this.beads.numberOf(id)
    const held = this.#held.get(first(bead), last(bead))
    const size = bytes(remark.text)
    if ((held?.n ?? 0) >= COMMENT_BOUNDS.count || (held?.size ?? 0) + size > COMMENT_BOUNDS.all) throw full(id)
    const row = {
      n: (held?.last ?? first(bead)) + 1,
      id: remark.id,
      author: remark.author,
      created_at: remark.createdAt,
      text: remark.text,
    }
    this.#insert.run(row.n, row.id, row.author, row.created_at, size, row.text)
    const comment = toComment(id, row)
    this.#record(tx, id, comment, session)
    return comment
  }

  #record(tx: Tx, id: string, comment: BeadComment, session: string | undefined): void {
    const { session_id: _, ...facts } = factsOf(this.beads.get(id))
    const said = { ...facts, actor: comment.author || 'human', ...(session !== undefined && { session_id: session }) }
    this.log.append(tx, BeadCommented, said, { comment })
  }
}

const toComment = (bead: string, { id, author, created_at, text }: Row): BeadComment => ({
  id,
  issue_id: bead,
  author,
  text,
  created_at: toTimestamp(created_at),
})

const wrong = (fault: string): AppError => invalidField('body.text', `text ${fault}`)

const tooMany = (count: number): AppError =>
  invalidField('query.ids', `ids names ${count} beads: at most ${MOST_COUNTED} at once`)

const full = (id: string): AppError =>
  new AppError(
    'conflict-wrong-state',
    `bead ${id} has all the comments it may have, 1,000 of them or 1 MB; write the next on a bead of its own`,
  )
