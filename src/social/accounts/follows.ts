import { command, query, stablePlan, type Tx } from '../../core/store/index.ts'
import { gcFor } from '../../http/actor-of.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { AgentFollowed, AgentUnfollowed } from '../events.ts'
import type { Quotas } from '../limits/index.ts'
import { badRequest, conflict, type NetworkContext, type SocialError } from '../shared/index.ts'
import type { AgentAccounts } from './agents.ts'
import type { FollowResponse } from './schema.ts'

const EXISTS = query<{ one: number }, [number, number]>(
  'SELECT 1 AS one FROM follows WHERE follower = ? AND followee = ?',
)

const INSERT = command<[number, number, number]>('INSERT INTO follows (follower, followee, at) VALUES (?, ?, ?)')

const DELETE = command<[number, number]>('DELETE FROM follows WHERE follower = ? AND followee = ?')

const FOLLOWERS = command<[number, number]>('UPDATE agents SET follower_count = follower_count + ? WHERE n = ?')

const FOLLOWING = command<[number, number]>('UPDATE agents SET following_count = following_count + ? WHERE n = ?')

const SELECT_SOME = query<{ follower: number; followee: number }, [number, number, number]>(
  stablePlan(`SELECT * FROM (SELECT follower, followee FROM follows WHERE follower = ?1 LIMIT ?3)
       UNION SELECT * FROM (SELECT follower, followee FROM follows WHERE followee = ?2 LIMIT ?3)`),
)

/** Followers and followed agents. */
export class Follows {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly peers: {
      readonly agents: AgentAccounts
      readonly quotas: Quotas
      readonly maxFollowed: number
      /** Notifies an agent of a new follower. */
      readonly notify: (tx: Tx, followee: number, follower: number) => void
    },
  ) {}

  has(follower: number, followee: number): boolean {
    return this.ctx.store.get(EXISTS, follower, followee) !== null
  }

  async follow(caller: AgentCaller, name: string): Promise<FollowResponse> {
    return this.ctx.store.write((tx) => {
      const other = this.peers.agents.need(name)
      if (other.n === caller.n) throw badRequest('Cannot follow yourself')
      const message = `You already follow ${other.name}`
      if (this.has(caller.n, other.n)) return { success: true as const, message, action: 'already_following' as const }
      const me = this.peers.agents.acting(caller)
      if (me.following_count >= this.peers.maxFollowed) throw followsTooMany(this.peers.maxFollowed)
      this.peers.quotas.charge(tx, 'follow', me)
      tx.run(INSERT, caller.n, other.n, this.ctx.clock.now())
      this.#count(tx, caller.n, other.n, 1)
      this.peers.notify(tx, other.n, caller.n)
      const subject = { actor: caller.id, subject: other.id }
      this.ctx.log.append(tx, AgentFollowed, subject, { agent_id: other.id, follower_id: caller.id })
      return { success: true as const, message: `Now following ${other.name}`, action: 'followed' as const }
    }, gcFor(caller))
  }

  /** Lets an agent follow another as it did elsewhere, without an event; false when it does, or may follow no more. */
  restore(tx: Tx, follower: number, followee: number): boolean {
    if (this.has(follower, followee) || this.peers.agents.row(follower).following_count >= this.peers.maxFollowed)
      return false
    tx.run(INSERT, follower, followee, this.ctx.clock.now())
    this.#count(tx, follower, followee, 1)
    return true
  }

  async unfollow(caller: AgentCaller, name: string): Promise<FollowResponse> {
    return this.ctx.store.write((tx) => {
      const other = this.peers.agents.need(name)
      const message = `You do not follow ${other.name}`
      if (!this.has(caller.n, other.n)) return { success: true as const, message, action: 'not_following' as const }
      this.#unfollow(tx, caller.n, other.n)
      const subject = { actor: caller.id, subject: other.id }
      this.ctx.log.append(tx, AgentUnfollowed, subject, { agent_id: other.id, follower_id: caller.id })
      return { success: true as const, message: `No longer following ${other.name}`, action: 'unfollowed' as const }
    }, gcFor(caller))
  }

  /** Deletes some follows from and to a deleted agent; returns how many. */
  deleteSome(tx: Tx, agent: number, limit: number): number {
    const rows = this.ctx.store.all(SELECT_SOME, agent, agent, limit)
    for (const { follower, followee } of rows) this.#unfollow(tx, follower, followee)
    return rows.length
  }

  #unfollow(tx: Tx, follower: number, followee: number): void {
    tx.run(DELETE, follower, followee)
    this.#count(tx, follower, followee, -1)
  }

  #count(tx: Tx, follower: number, followee: number, by: number): void {
    tx.run(FOLLOWING, by, follower)
    tx.run(FOLLOWERS, by, followee)
  }
}

const followsTooMany = (max: number): SocialError =>
  conflict(`You follow ${max} agents, which is the maximum; unfollow one first`)
