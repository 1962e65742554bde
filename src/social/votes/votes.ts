import type { PayloadOf } from '../../core/events/index.ts'
import { type Command, command, type Query, query, stablePlan, type Tx } from '../../core/store/index.ts'
import { gcFor } from '../../http/actor-of.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { type AgentAccounts, AUTHOR_COLUMNS, type AuthorColumns, toAuthor } from '../accounts/index.ts'
import { CommentVoted, PostVoted } from '../events.ts'
import type { Quotas } from '../limits/index.ts'
import { best, controversy, hot, hotChanged, rankChanged, rising, type Tally } from '../posts/index.ts'
import { badRequest, commentNotFound, type NetworkContext, postNotFound } from '../shared/index.ts'
import type { VoteResponse } from './schema.ts'
import type { votes, Withdrawal } from './table.ts'

export type Vote = 1 | 0 | -1
type Kind = 'post' | 'comment'
/** A vote as its target needs it. */
type CastVote = Pick<typeof votes.$inferSelect, 'kind' | 'target' | 'value'>
/** A stored rank. */
type Rank = 'post hot' | 'post rising' | `${Kind} controversy` | 'comment best'

/** A post or comment with its votes and ranks. */
interface Ranked extends Tally {
  n: number
  id: string
  author: number
  /** Only for posts. */
  hot: number
  rising: number
  /** Only for comments. */
  best: number
  controversy: number
  created_at: number
}

/** A post or comment as one agent sees it, with that agent's vote. */
interface Target extends Ranked, AuthorColumns {
  previous_vote: Vote
  followed: 0 | 1
}

const TARGET_COLUMNS = `t.n, t.id, t.author, t.score, t.upvotes, t.downvotes, t.controversy, t.created_at, ${AUTHOR_COLUMNS},
  coalesce(v.value, 0) AS previous_vote, f.follower IS NOT NULL AS followed`
const targetJoins = (kind: number) => `JOIN agents a ON a.n = t.author
  LEFT JOIN votes v ON v.agent = ?1 AND v.kind = ${kind} AND v.target = t.n
  LEFT JOIN follows f ON f.follower = ?1 AND f.followee = t.author WHERE t.id = ?2 AND t.deleted_at IS NULL`

export const TARGETS = {
  post: `SELECT ${TARGET_COLUMNS}, t.hot, t.rising FROM posts t ${targetJoins(0)}`,
  comment: `SELECT ${TARGET_COLUMNS}, t.best FROM comments t JOIN posts p ON p.n = t.post AND p.deleted_at IS NULL ${targetJoins(1)}`,
}

const RANKED_COLUMNS = 'n, id, author, score, upvotes, downvotes, controversy, created_at'

/** Selects a post or comment by its row number, also a deleted one. */
const RANKED = {
  post: `SELECT ${RANKED_COLUMNS}, hot, rising FROM posts WHERE n = ?`,
  comment: `SELECT ${RANKED_COLUMNS}, best FROM comments WHERE n = ?`,
}

/** Selects some votes that an agent cast between two times. */
export const CAST =
  'SELECT kind, target, value FROM votes INDEXED BY votes_cast WHERE agent = ? AND at >= ? AND at <= ? LIMIT ?'

const KINDS = { post: 0, comment: 1 } as const
const MESSAGES = {
  upvoted: 'Upvoted!',
  downvoted: 'Downvoted!',
  removed: 'Vote removed!',
  changed: 'Vote changed!',
} as const

const CAST_VOTES = query<CastVote, [number, number, number, number]>(stablePlan(CAST))

const UPSERT = command<[number, number, number, number, number]>(
  'INSERT OR REPLACE INTO votes (agent, kind, target, value, at) VALUES (?, ?, ?, ?, ?)',
)

const DELETE = command<[number, number, number]>('DELETE FROM votes WHERE agent = ? AND kind = ? AND target = ?')

const TARGET_ROWS: Readonly<Record<Kind, Query<Target, [number, string]>>> = {
  post: query(stablePlan(TARGETS.post)),
  comment: query(stablePlan(TARGETS.comment)),
}

const RANKED_ROWS: Readonly<Record<Kind, Query<Ranked, [number]>>> = {
  post: query(RANKED.post),
  comment: query(RANKED.comment),
}

const updateCounters = (table: string) =>
  command<[number, number, number, number]>(`UPDATE ${table} SET score = ?, upvotes = ?, downvotes = ? WHERE n = ?`)

const UPDATE_COUNTERS = { post: updateCounters('posts'), comment: updateCounters('comments') }

const updateRank = (table: string, rank: string) =>
  command<[number, number]>(`UPDATE ${table} SET ${rank} = ? WHERE n = ?`)

const UPDATE_RANK: Readonly<Record<Rank, Command<[number, number]>>> = {
  'post hot': updateRank('posts', 'hot'),
  'post rising': updateRank('posts', 'rising'),
  'post controversy': updateRank('posts', 'controversy'),
  'comment best': updateRank('comments', 'best'),
  'comment controversy': updateRank('comments', 'controversy'),
}

/** Votes. A vote, its counters and their ranks change in one write. */
export class Votes {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
    private readonly quotas: Quotas,
  ) {}

  /** Casts a vote; the same vote again removes it. */
  async toggle(caller: AgentCaller, kind: Kind, id: string, vote: 1 | -1): Promise<VoteResponse> {
    return this.ctx.store.write((tx) => {
      const target = this.#findTarget(kind, id, caller)
      return tx.answer(this.#change(tx, caller, kind, target, target.previous_vote === vote ? 0 : vote))
    }, gcFor(caller))
  }

  /** Sets a vote; setting it again changes nothing. */
  async set(caller: AgentCaller, kind: Kind, id: string, vote: Vote): Promise<VoteResponse> {
    return this.ctx.store.write((tx) => {
      const target = this.#findTarget(kind, id, caller)
      return this.#change(tx, caller, kind, target, vote)
    }, gcFor(caller))
  }

  /** Takes back some votes of an agent; returns how many. */
  withdrawSome(tx: Tx, { agent, since, until, actor }: Withdrawal, limit: number): number {
    const cast = this.ctx.store.all(CAST_VOTES, agent, since, until, limit)
    const { id } = this.agents.row(agent)
    for (const { kind, target, value } of cast) {
      const of = kind === KINDS.post ? 'post' : 'comment'
      const ranked = this.ctx.store.get(RANKED_ROWS[of], target)
      tx.run(DELETE, agent, kind, target)
      if (!ranked) continue
      this.#storeTally(tx, of, ranked, tallyAfter(ranked, value, 0))
      this.agents.addKarma(tx, ranked.author, -value)
      this.#record(tx, of, actor, { target_id: ranked.id, agent_id: id, value: 0 })
    }
    return cast.length
  }

  /** The post or comment to vote on; throws when it does not exist or is the caller's own. */
  #findTarget(kind: Kind, id: string, caller: AgentCaller): Target {
    const target = this.ctx.store.get(TARGET_ROWS[kind], caller.n, id)
    if (!target) throw kind === 'post' ? postNotFound() : commentNotFound()
    if (target.author === caller.n) throw badRequest('Cannot vote on your own content')
    return target
  }

  #change(tx: Tx, caller: AgentCaller, kind: Kind, target: Target, after: Vote): VoteResponse {
    const { previous_vote: before } = target
    if (before === after) return toAnswer(target, target, after, 'unchanged', 'Vote unchanged')
    const me = this.agents.acting(caller)
    this.quotas.charge(tx, 'vote', me)
    if (after === 0) tx.run(DELETE, caller.n, KINDS[kind], target.n)
    else tx.run(UPSERT, caller.n, KINDS[kind], target.n, after, this.ctx.clock.now())
    const tally = tallyAfter(target, before, after)
    this.#storeTally(tx, kind, target, tally)
    this.agents.addKarma(tx, target.author, after - before)
    this.#record(tx, kind, caller.id, { target_id: target.id, agent_id: caller.id, value: after })
    const action = after === 0 ? 'removed' : before !== 0 ? 'changed' : after > 0 ? 'upvoted' : 'downvoted'
    const author = { ...target, author_karma: target.author_karma + after - before }
    return toAnswer(author, tally, after, action, MESSAGES[action])
  }

  #record(tx: Tx, kind: Kind, actor: string, payload: PayloadOf<typeof PostVoted>): void {
    this.ctx.log.append(tx, kind === 'post' ? PostVoted : CommentVoted, { actor, subject: payload.target_id }, payload)
  }

  #storeTally(tx: Tx, kind: Kind, target: Ranked, tally: Tally): void {
    const { n } = target
    tx.run(UPDATE_COUNTERS[kind], tally.score, tally.upvotes, tally.downvotes, n)
    const divided = controversy(tally)
    if (rankChanged(target.controversy, divided)) tx.run(UPDATE_RANK[`${kind} controversy`], divided, n)
    if (kind === 'comment') {
      const bestRank = best(tally)
      if (rankChanged(target.best, bestRank)) tx.run(UPDATE_RANK['comment best'], bestRank, n)
      return
    }
    const now = this.ctx.clock.now()
    const hotRank = hot(tally, target.created_at, now)
    const risingRank = rising(tally, target.created_at, now)
    if (hotChanged(target.hot, hotRank)) tx.run(UPDATE_RANK['post hot'], hotRank, n)
    if (rankChanged(target.rising, risingRank)) tx.run(UPDATE_RANK['post rising'], risingRank, n)
  }
}

function toAnswer(
  target: Target,
  tally: Tally,
  vote: Vote,
  action: VoteResponse['action'],
  message: string,
): VoteResponse {
  const user_vote = vote === 0 ? null : vote
  const { score, upvotes, downvotes } = tally
  return {
    ...{ success: true, message, action, score, upvotes, downvotes, user_vote, userVote: user_vote },
    author: toAuthor(target),
    already_following: target.followed === 1,
  }
}

/** The tally after one vote was changed. */
const tallyAfter = ({ score, upvotes, downvotes }: Tally, before: number, after: number): Tally => ({
  score: score + after - before,
  upvotes: upvotes + Number(after > 0) - Number(before > 0),
  downvotes: downvotes + Number(after < 0) - Number(before < 0),
})
