import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError, invalidField } from '../../core/errors.ts'
import { randomHex } from '../../core/ids.ts'
import { command, query, stablePlan, type Tx } from '../../core/store/index.ts'
import { actorOf, sessionOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { cursorAfterKey, fillPage, parseKeyCursor } from '../../http/respond/index.ts'
import { pageSize } from '../../http/schema.ts'
import { actorName } from '../actor.ts'
import type { BeadRepository } from '../beads/index.ts'
import { eventFactsOf } from '../beads/index.ts'
import { BeadCommented } from '../events.ts'
import type { BeadComment } from '../schema.ts'
import { COMMENT_LIMITS, MAX_COUNTED_BEADS } from './limits.ts'
import type { BeadCommentCounts, BeadCommentInput, BeadCommentList, CommentPage } from './schema.ts'

interface CommentRow {
  n: number
  id: string
  author: string
  created_at: number
  text: string
}

/** The number and the bytes of the comments on a bead, and the number of the last. */
interface CommentTotals {
  n: number
  size: number
  last: number
}

/** A comment to write. */
export interface CommentDraft {
  readonly id: string
  readonly author: string
  readonly createdAt: number
  readonly text: string
}

/** The comments of one bead have numbers between these. */
export const firstNumber = (bead: number): number => bead * 1024
const lastNumber = (bead: number): number => bead * 1024 + 1023

const COLUMNS = 'n, id, author, created_at, text'

const ON_BEADS = 'beads b CROSS JOIN bead_comments c ON c.n BETWEEN b.n * 1024 AND b.n * 1024 + 1023'

const UPDATE = command<[string, number, number, string, number]>(
  'UPDATE bead_comments SET author = ?, created_at = ?, size = ?, text = ? WHERE n = ?',
)

const TOTALS = query<{ n: number; size: number | null; last: number | null }, [number, number]>(
  'SELECT count(*) AS n, sum(size) AS size, max(n) AS last FROM bead_comments WHERE n BETWEEN ? AND ?',
)

const PAGE = query<CommentRow, [number, number, number, number, number]>(
  stablePlan(`SELECT ${COLUMNS} FROM bead_comments WHERE n BETWEEN ? AND ? AND (created_at, n) > (?, ?)
       ORDER BY created_at, n LIMIT ?`),
)

const OF_BEAD = query<CommentRow, [string]>(
  stablePlan(
    `SELECT c.n, c.id, c.author, c.created_at, c.text FROM ${ON_BEADS} WHERE b.id = ? ORDER BY c.created_at, c.n`,
  ),
)

const COUNTS = query<{ id: string; n: number }, [string]>(
  `SELECT b.id, count(*) AS n FROM ${ON_BEADS} WHERE b.id IN (SELECT value FROM json_each(?)) GROUP BY b.id`,
)

const INSERT = command<[number, string, string, number, number, string]>(
  'INSERT INTO bead_comments (n, id, author, created_at, size, text) VALUES (?, ?, ?, ?, ?, ?)',
)

/** Comments on beads, in the order they were written. A comment changes nothing about its bead. */
export class Comments {
  constructor(
    private readonly context: CityContext,
    private readonly options: {
      /** The city's name. */
      city: string
      beads: BeadRepository
    },
  ) {}

  /** A page, oldest first. */
  list(id: string, { cursor, limit }: CommentPage): BeadCommentList {
    const bead = this.options.beads.numberOf(id)
    const size = pageSize(limit)
    const [createdAt = 0, n = 0] = parseKeyCursor(cursor, 'bead-comments', 2) ?? [Number.MIN_SAFE_INTEGER, 0]
    const rows = this.context.store.iterate(PAGE, firstNumber(bead), lastNumber(bead), createdAt, n, size + 1)
    const { items, last } = fillPage(rows, size, (row) => toComment(id, row))
    return {
      items,
      total: this.context.store.get(TOTALS, firstNumber(bead), lastNumber(bead))?.n ?? 0,
      ...(last && { next_cursor: cursorAfterKey('bead-comments', [last.created_at, last.n]) }),
    }
  }

  /** Every comment on a bead, oldest first. */
  listAll(id: string): BeadComment[] {
    return this.context.store.all(OF_BEAD, id).map((row) => toComment(id, row))
  }

  get(bead: string, id: string): BeadComment {
    const comment = this.listAll(bead).find((each) => each.id === id)
    if (!comment) throw new AppError('bead-not-found', `comment ${id} on ${bead} does not exist`)
    return comment
  }

  /** Number of comments on each of these beads; `list` is their ids, separated by commas. */
  count(list: string): BeadCommentCounts {
    const ids = list.split(',').filter((id) => id !== '')
    if (ids.length > MAX_COUNTED_BEADS) throw tooManyIds(ids.length)
    const rows = this.context.store.all(COUNTS, JSON.stringify(ids))
    return { counts: Object.fromEntries(rows.map(({ id, n }) => [id, n])) }
  }

  /** Comments in the caller's name. */
  create(caller: Caller, id: string, { text }: BeadCommentInput): Promise<BeadComment> {
    if (text.trim() === '') throw invalidText('must not be empty')
    if (Buffer.byteLength(text) > COMMENT_LIMITS.text) throw invalidText('is too long: at most 64 KB')
    const author = actorName(caller, undefined)
    const { clock, store } = this.context
    const { city } = this.options
    return store.write((tx) => {
      const draft = { id: `comment-${randomHex(6)}`, author, createdAt: clock.now(), text }
      return this.#add(tx, id, draft, sessionOf(caller, city))
    }, actorOf(caller))
  }

  /** Writes the imported comments of a bead; returns whether that changed anything. */
  restore(tx: Tx, id: string, drafts: readonly CommentDraft[]): boolean {
    if (drafts.length === 0) return false
    const totals = this.#totalsOf(id)
    const rows = new Map(this.context.store.all(OF_BEAD, id).map((row) => [row.id, row]))
    let hasChanged = false
    for (const draft of drafts) {
      const row = rows.get(draft.id)
      const { author, createdAt: created_at, text } = draft
      if (row && row.author === author && row.created_at === created_at && row.text === text) continue
      const written = row ? { ...row, author, created_at, text } : this.#insertOne(tx, id, draft, totals)
      if (row) tx.run(UPDATE, author, created_at, Buffer.byteLength(text), text, row.n)
      rows.set(draft.id, written)
      this.#record(tx, id, toComment(id, written), undefined)
      hasChanged = true
    }
    return hasChanged
  }

  #add(tx: Tx, id: string, draft: CommentDraft, session: string | undefined): BeadComment {
    const comment = toComment(id, this.#insertOne(tx, id, draft, this.#totalsOf(id)))
    this.#record(tx, id, comment, session)
    return comment
  }

  /** The bead's comments up to now are those of `totals`, to which this one is added. */
  #insertOne(
    tx: Tx,
    id: string,
    { id: comment, author, createdAt, text }: CommentDraft,
    totals: CommentTotals,
  ): CommentRow {
    const size = Buffer.byteLength(text)
    if (totals.n >= COMMENT_LIMITS.count || totals.size + size > COMMENT_LIMITS.all) throw tooManyComments(id)
    totals.n++
    totals.size += size
    totals.last++
    tx.run(INSERT, totals.last, comment, author, createdAt, size, text)
    return { n: totals.last, id: comment, author, created_at: createdAt, text }
  }

  #totalsOf(id: string): CommentTotals {
    const bead = this.options.beads.numberOf(id)
    const totals = this.context.store.get(TOTALS, firstNumber(bead), lastNumber(bead))
    return { n: totals?.n ?? 0, size: totals?.size ?? 0, last: totals?.last ?? firstNumber(bead) }
  }

  #record(tx: Tx, id: string, comment: BeadComment, session: string | undefined): void {
    const { log } = this.context
    const { beads } = this.options
    const { session_id: _, ...facts } = eventFactsOf(beads.get(id))
    log.append(tx, BeadCommented, { ...facts, ...(session !== undefined && { session_id: session }) }, { comment })
  }
}

export const toComment = (bead: string, { id, author, created_at, text }: CommentRow): BeadComment => ({
  id,
  issue_id: bead,
  author,
  text,
  created_at: toTimestamp(created_at),
})

const invalidText = (message: string): AppError => invalidField('body.text', `text ${message}`)

const tooManyIds = (count: number): AppError =>
  invalidField('query.ids', `ids names ${count} beads: at most ${MAX_COUNTED_BEADS} per request`)

const tooManyComments = (id: string): AppError =>
  new AppError(
    'conflict-wrong-state',
    `bead ${id} has all the comments it may have, 1,000 of them or 1 MB; write the next on another bead`,
  )
