import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import type { Worktrees } from '../../agents/worktrees/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError, errorMessage, invalidField } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import { actorOf, partOf, personOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { SessionRepository } from '../../work/sessions/index.ts'
import { ChangeApproved, ChangeAsked, ChangeDiscarded, ChangeLooked, ChangeReplied } from '../events.ts'
import type { AskDelivery } from './asks.ts'
import { type Changes, toComment } from './changes.ts'
import type { ChangeContents } from './contents.ts'
import { type AttemptUsage, settleCost } from './cost.ts'
import type { ChangeRows } from './rows.ts'
import type { AskRequest, Change, ChangeComment, CommentDraft, ReviewerTotals } from './schema.ts'
import type { ChangeRow, CommentRow, Decision } from './table.ts'
import { attributesOf, type ChangeTracker, factsOf } from './tracker.ts'
import { MAX_TURN, renderTurn } from './turn.ts'

type NotPromise<T> = T extends PromiseLike<unknown> ? never : T

/** Drafts that a person may have on one change. */
const MAX_DRAFTS = 200

/** People's reviews of changes: comments, requests for changes, and decisions. */
export class Reviews {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      rows: ChangeRows
      changes: Changes
      contents: ChangeContents
      tracker: ChangeTracker
      asks: AskDelivery
      usage: AttemptUsage
      worktrees: Pick<Worktrees, 'rowOf' | 'removeSecured'>
      sessionRepository: Pick<SessionRepository, 'find'>
    },
  ) {}

  /** Records that a person begins to look at a change; returns what they see. */
  look(caller: Caller, id: string): Promise<Change> {
    return this.#write(caller, id, (tx, row, person) => {
      const { log, clock } = this.context
      const { rows, changes } = this.peers
      const head = row.head ?? ''
      const isNew = rows.addLook(tx, { change: id, round: row.round, person, head, lookedAt: clock.now() })
      if (isNew) log.append(tx, ChangeLooked, attributesOf(row), { ...factsOf(row), person, head })
      return changes.toChange(row)
    })
  }

  /** Adds a comment on lines of a commit, as a draft of its author until it is sent. */
  async comment(caller: Caller, id: string, draft: CommentDraft): Promise<ChangeComment> {
    const { clock } = this.context
    const { contents, changes, rows } = this.peers
    const row = changes.find(id)
    const { path, side = 'new', line, end_line: endLine = line, text } = draft
    if (endLine < line) throw invalidField('body.end_line', 'must not be before `line`')
    const commit = this.#commitOf(row, side, draft.commit)
    const quoted = await contents.quote(row, { commit, path, line, endLine })
    return this.#write(caller, id, (tx, current, person) => {
      requireUndecided(current)
      const own = rows.comments(id).filter((each) => each.state === 'draft' && each.person === person)
      if (own.length >= MAX_DRAFTS) {
        throw new AppError(
          'conflict-wrong-state',
          `you have ${MAX_DRAFTS} drafts on ${id}; send them with gc review ask ${id}`,
        )
      }
      const made = {
        ...{ path, side, line, endLine, quoted, text, commit, person },
        change: id,
        state: 'draft' as const,
      }
      const unanswered = { ask: null, reply: null, repliedBy: null, repliedAt: null }
      const comment = rows.addComment(tx, { ...made, ...unanswered, createdAt: clock.now() })
      return toComment(comment, { path, line })
    })
  }

  /** Changes the text of a draft of one's own. */
  editDraft(caller: Caller, id: string, n: number, text: string): Promise<ChangeComment> {
    return this.#write(caller, id, (tx, _, person) => {
      const { path, line } = this.#draft(id, n, person)
      return toComment(this.peers.rows.updateComment(tx, { change: id, n }, { text }), { path, line })
    })
  }

  removeDraft(caller: Caller, id: string, n: number): Promise<OKResponseBody> {
    return this.#write(caller, id, (tx, _, person) => {
      this.peers.rows.removeComment(tx, this.#draft(id, n, person))
      return { status: 'removed' }
    })
  }

  /** Sends all drafts of a person, and what they ask for besides, to the session of a change as one turn. */
  ask(caller: Caller, id: string, { text = '' }: AskRequest): Promise<Change> {
    return this.#write(caller, id, (tx, row, person) => {
      const { log, clock } = this.context
      const { rows, asks, changes } = this.peers
      requireUndecided(row, 'ask for changes')
      if (row.state === 'working') throw stillWorking(row)
      const drafts = rows.comments(id).filter((comment) => comment.state === 'draft' && comment.person === person)
      if (drafts.length === 0 && text.trim() === '') {
        throw invalidField(
          'body.text',
          `there are no comments to send: say what to change, or add some with gc review comment ${id}`,
        )
      }
      const now = clock.now()
      const n = (rows.asks(id).at(-1)?.n ?? 0) + 1
      const mark = randomBytes(8).toString('hex')
      const ask = {
        ...{ change: id, n, round: row.round, person, text, mark, session: row.session },
        ...NEW_ASK,
        askedAt: now,
      }
      for (const draft of drafts) rows.updateComment(tx, draft, { state: 'open', ask: n })
      requireFits(renderTurn(row, ask, drafts))
      rows.addAsk(tx, ask)
      if (row.state !== 'asked') {
        rows.setRound(tx, { change: id, round: row.round + 1, base: null, head: null, startedAt: now, endedAt: null })
      }
      const asked = rows.update(tx, id, { state: 'asked', activeAt: Math.max(now, row.activeAt + 1) })
      this.#decide(tx, row, person, 'asked')
      asks.send(tx, asked, ask)
      log.append(tx, ChangeAsked, attributesOf(asked), {
        ...{ ...factsOf(asked), person, head: asked.head ?? '', comments: drafts.length },
      })
      return changes.toChange(asked)
    })
  }

  /** Answers a comment, as the session of the change or as a person. */
  reply(caller: Caller, id: string, n: number, text: string): Promise<ChangeComment> {
    return this.#write(caller, id, (tx, row, person) => {
      const { log, clock } = this.context
      const { rows, tracker } = this.peers
      const comment = rows.comments(id).find((each) => each.n === n && each.state !== 'draft')
      if (!comment) throw noComment(id, n)
      const repliedBy = caller.kind === 'session' ? actorOf(caller).name : person
      const change = { reply: text, repliedBy, repliedAt: clock.now(), state: 'answered' as const }
      const answered = rows.updateComment(tx, comment, change)
      log.append(tx, ChangeReplied, attributesOf(row), { ...factsOf(row), comment: n })
      const isOpen = rows.comments(id).some(({ state }) => state === 'open')
      if (row.state === 'asked' && !isOpen) tracker.settle(tx, row, 'answered')
      return toComment(answered, { path: comment.path, line: comment.line })
    })
  }

  /** Approves a change at the commit that the caller saw. */
  approve(caller: Caller, id: string, seen: string): Promise<Change> {
    return this.#write(caller, id, (tx, row, person) => {
      requireUndecided(row, 'approve it')
      if (row.state === 'working') throw stillWorking(row)
      const head = row.head ?? ''
      if (!head.startsWith(seen)) {
        throw new AppError(
          'conflict-concurrent-modify',
          `${id} is at ${head} now, not at ${seen}; see what is new with gc review diff ${id} --since-last, then approve that`,
        )
      }
      const approved = this.#end(tx, row, person, 'approved')
      const payload = { ...factsOf(approved), person, head, target: approved.target }
      this.context.log.append(tx, ChangeApproved, attributesOf(approved), payload)
      return this.peers.changes.toChange(approved)
    })
  }

  /** Decides against a change. Its commits are kept for 30 days; its branch stays, and the worktree of an ended session goes. */
  discard(caller: Caller, id: string, reason: string | undefined): Promise<Change> {
    return this.#write(caller, id, (tx, row, person) => {
      const { log } = this.context
      const { asks, changes, rows } = this.peers
      if (row.state === 'landed' || row.state === 'discarded') throw decided(row, 'discard it')
      asks.withdraw(tx, id, 'the change was discarded')
      const ended = this.#end(tx, row, person, 'discarded')
      const kept = reason === undefined ? ended : rows.update(tx, id, { reason })
      const payload = { ...factsOf(kept), person, head: kept.head ?? '', ...(reason !== undefined && { reason }) }
      log.append(tx, ChangeDiscarded, attributesOf(kept), payload)
      tx.after(() => void this.#removeWorktree(partOf(caller), kept))
      return changes.toChange(kept)
    })
  }

  /** The decisions of each person, the time they took, and the newest changes that were decided. */
  reviewers(): ReviewerTotals {
    const { rows, changes } = this.peers
    const items = rows.people()
    return { items, total: items.length, changes: changes.decided() }
  }

  /** The worktree of a session that is over is stored as a snapshot and removed, unless another change of it is open. */
  async #removeWorktree(caller: Caller, { session, kind }: ChangeRow): Promise<void> {
    const { report } = this.context
    const { rows, worktrees, sessionRepository } = this.peers
    const isOver = sessionRepository.find(session)?.state === 'closed'
    const isShared = rows
      .ofSession(session)
      .some(({ state }) => state !== 'none' && state !== 'landed' && state !== 'discarded')
    if (kind !== 'worktree' || !isOver || isShared || !worktrees.rowOf(session)) return
    await worktrees
      .removeSecured(caller, session)
      .catch((error) => report(`worktree of ${session}: ${errorMessage(error)}`))
  }

  /** Ends the review of a change, with what it cost until now. */
  #end(tx: Tx, row: ChangeRow, person: string, decision: 'approved' | 'discarded'): ChangeRow {
    const { clock } = this.context
    const { rows } = this.peers
    this.#decide(tx, row, person, decision)
    const cost = settleCost(tx, row, decision, clock, this.peers)
    return rows.update(tx, row.id, {
      ...{ state: decision, due: null, decidedAt: clock.now(), decidedBy: person, ...cost },
    })
  }

  /** A person decides each round once. */
  #decide(tx: Tx, row: ChangeRow, person: string, decision: Decision): void {
    const { clock } = this.context
    const { rows } = this.peers
    const { id, round, head } = row
    const own = rows.looks(id).find((look) => look.round === round && look.person === person)
    if (own?.decision === decision) return
    const seconds = rows.decide(tx, { change: id, round, person, head: head ?? '' }, decision, clock.now())
    rows.addTotals(tx, row, { seconds })
  }

  #draft(id: string, n: number, person: string): CommentRow {
    const comment = this.peers.rows.comments(id).find((each) => each.n === n && each.person === person)
    if (!comment) throw noComment(id, n)
    if (comment.state === 'draft') return comment
    throw new AppError('conflict-wrong-state', `comment ${n} on ${id} was sent; only drafts can be changed`)
  }

  /** The commit whose lines a comment is about: one of a round of the change. */
  #commitOf(row: ChangeRow, side: 'old' | 'new', commit: string | undefined): string {
    const newest = (side === 'new' ? row.head : row.base) ?? ''
    if (commit === undefined || commit === newest) return newest
    const rounds = this.peers.rows.rounds(row.id)
    if (rounds.some(({ base, head }) => (side === 'new' ? head : base) === commit)) return commit
    throw invalidField('body.commit', `is not a ${side === 'new' ? 'head' : 'base'} of a round of ${row.id}`)
  }

  #write<T extends object>(
    caller: Caller,
    id: string,
    write: (tx: Tx, row: ChangeRow, person: string) => NotPromise<T>,
  ): Promise<T> {
    const { store } = this.context
    const { changes } = this.peers
    return store.write((tx) => write(tx, changes.find(id), personOf(caller)), actorOf(caller))
  }
}

const NEW_ASK = { state: 'sent', tries: 0, reason: null, endedAt: null } as const

function requireFits(turn: string): void {
  const size = Buffer.byteLength(turn)
  if (size <= MAX_TURN) return
  const sizes = `${Math.ceil(size / 1024)} KB, and ${MAX_TURN / 1024} KB fit into one turn`
  throw new AppError('validation-failed', `the comments have ${sizes}; remove or shorten some`)
}

const noComment = (id: string, n: number): AppError =>
  new AppError('comment-not-found', `there is no comment ${n} on ${id}; see gc review show ${id}`)

const stillWorking = ({ id, session }: ChangeRow): AppError =>
  new AppError(
    'conflict-wrong-state',
    `${id} is not ready: session ${session} still works on it; gc session message ${session} reaches it`,
  )

/** Throws for a change of which it is decided; `action` is what the caller wants to do. */
function requireUndecided(row: ChangeRow, action = 'comment on it'): void {
  if (row.state === 'approved' || row.state === 'landed' || row.state === 'discarded') throw decided(row, action)
}

function decided({ id, state, decidedBy, decidedAt }: ChangeRow, action: string): AppError {
  const by = decidedBy === null ? '' : ` by ${decidedBy}`
  const when = decidedAt === null ? '' : ` at ${toTimestamp(decidedAt)}`
  return new AppError('conflict-wrong-state', `${id} was ${state}${by}${when}; you cannot ${action} any more`)
}
