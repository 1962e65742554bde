import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/log.ts'
import { everyTime, type Once } from '../../core/replays.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { AgentCaller } from '../../server/caller.ts'
import type { Agents } from '../agents/agents.ts'
import type { Follows } from '../agents/follows.ts'
import { type AuthorColumns, toAuthor } from '../agents/view.ts'
import type { Comments } from '../comments/comments.ts'
import type { Quotas } from '../limits/quotas.ts'
import type { Posts } from '../posts/posts.ts'
import { best, controversy, hot, rising, type Tally } from '../posts/ranks.ts'
import { noComment, unusable } from '../refusal.ts'
import { CommentVoted, PostVoted } from './events.ts'
import type { Voted } from './schema.ts'

export type Vote = 1 | 0 | -1
type Kind = 'post' | 'comment'

/** What can be voted on. */
interface Target extends AuthorColumns, Tally {
  n: number
  id: string
  author: number
  created_at: number
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
  readonly #cast: Statement<{ value: 1 | -1 }, [number, number, number]>
  readonly #put: Statement<unknown, [number, number, number, number, number]>
  readonly #drop: Statement<unknown, [number, number, number]>
  readonly #countPost: Statement<unknown, [number, number, number, number, number, number, number]>
  readonly #countComment: Statement<unknown, [number, number, number, number, number, number]>

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly agents: Agents,
    private readonly follows: Follows,
    private readonly posts: Posts,
    private readonly comments: Comments,
    private readonly quotas: Quotas,
  ) {
    this.#cast = store.prepare('SELECT value FROM votes WHERE agent = ? AND kind = ? AND target = ?')
    this.#put = store.prepare('INSERT OR REPLACE INTO votes (agent, kind, target, value, at) VALUES (?, ?, ?, ?, ?)')
    this.#drop = store.prepare('DELETE FROM votes WHERE agent = ? AND kind = ? AND target = ?')
    this.#countPost = store.prepare(
      'UPDATE posts SET score = ?, upvotes = ?, downvotes = ?, hot = ?, rising = ?, controversy = ? WHERE n = ?',
    )
    this.#countComment = store.prepare(
      'UPDATE comments SET score = ?, upvotes = ?, downvotes = ?, best = ?, controversy = ? WHERE n = ?',
    )
  }

  /** Casts a vote; the same vote again takes it back. */
  async toggle(caller: AgentCaller, kind: Kind, id: string, vote: 1 | -1, once: Once = everyTime): Promise<Voted> {
    return this.store.write((tx) => {
      const target = this.#target(kind, id, caller)
      const before = this.#cast.get(caller.n, KINDS[kind], target.n)?.value ?? 0
      return once(tx, this.#move(tx, caller, kind, target, before, before === vote ? 0 : vote))
    })
  }

  /** Makes a vote what it is to be, however often it is asked for. */
  async set(caller: AgentCaller, kind: Kind, id: string, vote: Vote): Promise<Voted> {
    return this.store.write((tx) => {
      const target = this.#target(kind, id, caller)
      const before = this.#cast.get(caller.n, KINDS[kind], target.n)?.value ?? 0
      return this.#move(tx, caller, kind, target, before, vote)
    })
  }

  /** What is voted on: there, not deleted, and not the caller's own. */
  #target(kind: Kind, id: string, caller: AgentCaller): Target {
    const target = kind === 'post' ? this.posts.need(id, caller.n) : this.#comment(id, caller.n)
    if (target.author === caller.n) throw unusable('Cannot vote on your own content')
    return target
  }

  #comment(id: string, viewer: number) {
    const row = this.comments.need(id, viewer)
    if (row.deleted_at !== null) throw noComment()
    return row
  }

  #move(tx: Tx, caller: AgentCaller, kind: Kind, target: Target, before: Vote, after: Vote): Voted {
    if (before === after) return this.#answer(caller, target, target, after, 'unchanged', 'Vote unchanged')
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
    return this.#answer(caller, author, tally, after, action, DID[action])
  }

  #count(kind: Kind, { n, created_at }: Target, tally: Tally): void {
    const { score, upvotes, downvotes } = tally
    if (kind === 'comment') {
      this.#countComment.run(score, upvotes, downvotes, best(tally), controversy(tally), n)
      return
    }
    const now = this.clock.now()
    const ranks = [hot(tally, created_at, now), rising(tally, created_at, now), controversy(tally)] as const
    this.#countPost.run(score, upvotes, downvotes, ...ranks, n)
  }

  #answer(
    caller: AgentCaller,
    target: Target,
    tally: Tally,
    vote: Vote,
    action: Voted['action'],
    message: string,
  ): Voted {
    const user_vote = vote === 0 ? null : vote
    const { score, upvotes, downvotes } = tally
    return {
      ...{ success: true, message, action, score, upvotes, downvotes, user_vote, userVote: user_vote },
      author: toAuthor(target),
      already_following: this.follows.has(caller.n, target.author),
    }
  }
}

/** A tally after one vote became another. */
const moved = ({ score, upvotes, downvotes }: Tally, before: Vote, after: Vote): Tally => ({
  score: score + after - before,
  upvotes: upvotes + Number(after > 0) - Number(before > 0),
  downvotes: downvotes + Number(after < 0) - Number(before < 0),
})
