import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/log.ts'
import { type SaveResponse, withoutReplay } from '../../core/replays/replays.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { AgentCaller } from '../../http/caller.ts'
import type { Agents } from '../agents/agents.ts'
import { AUTHOR_COLUMNS, type AuthorColumns, toAuthor } from '../agents/view.ts'
import type { Quotas } from '../limits/quotas.ts'
import { best, controversy, hasHeated, hasMoved, hot, rising, type Tally } from '../posts/ranks.ts'
import { noComment, noPost, unusable } from '../refusal.ts'
import { CommentVoted, PostVoted } from './events.ts'
import type { Voted } from './schema.ts'

export type Vote = 1 | 0 | -1
type Kind = 'post' | 'comment'
/** A rank that lists go by. */
type Rank = 'post hot' | 'post rising' | `${Kind} controversy` | 'comment best'

/** What can be voted on, as one agent sees it: with its vote so far. */
interface Target extends AuthorColumns, Tally {
  n: number
  id: string
  author: number
  /** Of a post only. */
  hot: number
  rising: number
  /** Of a comment only. */
  best: number
  controversy: number
  created_at: number
  before: Vote
  followed: 0 | 1
}

const TARGET = `t.n, t.id, t.author, t.score, t.upvotes, t.downvotes, t.controversy, t.created_at, ${AUTHOR_COLUMNS},
  coalesce(v.value, 0) AS before, f.follower IS NOT NULL AS followed`
const joined = (kind: number) => `JOIN agents a ON a.n = t.author
  LEFT JOIN votes v ON v.agent = ?1 AND v.kind = ${kind} AND v.target = t.n
  LEFT JOIN follows f ON f.follower = ?1 AND f.followee = t.author WHERE t.id = ?2 AND t.deleted_at IS NULL`

export const TARGETS = {
  post: `SELECT ${TARGET}, t.hot, t.rising FROM posts t ${joined(0)}`,
  comment: `SELECT ${TARGET}, t.best FROM comments t JOIN posts p ON p.n = t.post AND p.deleted_at IS NULL ${joined(1)}`,
}

const KINDS = { post: 0, comment: 1 } as const
const DID = {
  upvoted: 'Upvoted!',
  downvoted: 'Downvoted!',
  removed: 'Vote removed!',
  changed: 'Vote changed!',
} as const

/** The votes: a vote, the counters it moves and the ranks they make are one write. */
export class Votes {
  readonly #targets: Readonly<Record<Kind, Statement<Target, [number, string]>>>
  readonly #put: Statement<unknown, [number, number, number, number, number]>
  readonly #drop: Statement<unknown, [number, number, number]>
  readonly #counts: Readonly<Record<Kind, Statement<unknown, [number, number, number, number]>>>
  readonly #ranks: Readonly<Record<Rank, Statement<unknown, [number, number]>>>

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly agents: Agents,
    private readonly quotas: Quotas,
  ) {
    this.#targets = {
      post: store.prepare(stablePlan(TARGETS.post)),
      comment: store.prepare(stablePlan(TARGETS.comment)),
    }
    this.#put = store.prepare('INSERT OR REPLACE INTO votes (agent, kind, target, value, at) VALUES (?, ?, ?, ?, ?)')
    this.#drop = store.prepare('DELETE FROM votes WHERE agent = ? AND kind = ? AND target = ?')
    const counting = (table: string) => `UPDATE ${table} SET score = ?, upvotes = ?, downvotes = ? WHERE n = ?`
    const ranking = (table: string, rank: string) =>
      store.prepare<unknown, [number, number]>(`UPDATE ${table} SET ${rank} = ? WHERE n = ?`)
    this.#counts = { post: store.prepare(counting('posts')), comment: store.prepare(counting('comments')) }
    this.#ranks = {
      'post hot': ranking('posts', 'hot'),
      'post rising': ranking('posts', 'rising'),
      'post controversy': ranking('posts', 'controversy'),
      'comment best': ranking('comments', 'best'),
      'comment controversy': ranking('comments', 'controversy'),
    }
  }

  /** Casts a vote; the same vote again takes it back. */
  async toggle(
    caller: AgentCaller,
    kind: Kind,
    id: string,
    vote: 1 | -1,
    once: SaveResponse = withoutReplay,
  ): Promise<Voted> {
    return this.store.write((tx) => {
      const target = this.#target(kind, id, caller)
      return once(tx, this.#move(tx, caller, kind, target, target.before === vote ? 0 : vote))
    })
  }

  /** Makes a vote what it is to be, however often it is asked for. */
  async set(caller: AgentCaller, kind: Kind, id: string, vote: Vote): Promise<Voted> {
    return this.store.write((tx) => {
      const target = this.#target(kind, id, caller)
      return this.#move(tx, caller, kind, target, vote)
    })
  }

  /** What is voted on: there, not deleted, and not the caller's own. */
  #target(kind: Kind, id: string, caller: AgentCaller): Target {
    const target = this.#targets[kind].get(caller.n, id)
    if (!target) throw kind === 'post' ? noPost() : noComment()
    if (target.author === caller.n) throw unusable('Cannot vote on your own content')
    return target
  }

  #move(tx: Tx, caller: AgentCaller, kind: Kind, target: Target, after: Vote): Voted {
    const { before } = target
    if (before === after) return answer(target, target, after, 'unchanged', 'Vote unchanged')
    const me = this.agents.acting(caller)
    this.quotas.charge(tx, 'vote', me)
    if (after === 0) this.#drop.run(caller.n, KINDS[kind], target.n)
    else this.#put.run(caller.n, KINDS[kind], target.n, after, this.clock.now())
    const tally = moved(target, before, after)
    this.#count(kind, target, tally)
    this.agents.reward(tx, target.author, after - before)
    const payload = { target_id: target.id, agent_id: caller.id, value: after }
    this.log.append(tx, kind === 'post' ? PostVoted : CommentVoted, { actor: caller.id, subject: target.id }, payload)
    const action = after === 0 ? 'removed' : before !== 0 ? 'changed' : after > 0 ? 'upvoted' : 'downvoted'
    const author = { ...target, author_karma: target.author_karma + after - before }
    return answer(author, tally, after, action, DID[action])
  }

  #count(kind: Kind, target: Target, tally: Tally): void {
    const { n } = target
    this.#counts[kind].run(tally.score, tally.upvotes, tally.downvotes, n)
    const split = controversy(tally)
    if (hasMoved(target.controversy, split)) this.#ranks[`${kind} controversy`].run(split, n)
    if (kind === 'comment') {
      const worth = best(tally)
      if (hasMoved(target.best, worth)) this.#ranks['comment best'].run(worth, n)
      return
    }
    const now = this.clock.now()
    const heat = hot(tally, target.created_at, now)
    const rise = rising(tally, target.created_at, now)
    if (hasHeated(target.hot, heat)) this.#ranks['post hot'].run(heat, n)
    if (hasMoved(target.rising, rise)) this.#ranks['post rising'].run(rise, n)
  }
}

function answer(target: Target, tally: Tally, vote: Vote, action: Voted['action'], message: string): Voted {
  const user_vote = vote === 0 ? null : vote
  const { score, upvotes, downvotes } = tally
  return {
    ...{ success: true, message, action, score, upvotes, downvotes, user_vote, userVote: user_vote },
    author: toAuthor(target),
    already_following: target.followed === 1,
  }
}

/** A tally after one vote became another. */
const moved = ({ score, upvotes, downvotes }: Tally, before: Vote, after: Vote): Tally => ({
  score: score + after - before,
  upvotes: upvotes + Number(after > 0) - Number(before > 0),
  downvotes: downvotes + Number(after < 0) - Number(before < 0),
})
