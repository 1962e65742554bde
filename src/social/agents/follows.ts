import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/log.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { AgentCaller } from '../../http/caller.ts'
import type { Quotas } from '../limits/quotas.ts'
import { SocialError, unusable } from '../refusal.ts'
import type { Agents } from './agents.ts'
import { AgentFollowed, AgentUnfollowed } from './events.ts'
import type { Followed } from './schema.ts'

/** Who follows whom. */
export class Follows {
  readonly #has: Statement<{ one: number }, [number, number]>
  readonly #add: Statement<unknown, [number, number, number]>
  readonly #drop: Statement<unknown, [number, number]>
  readonly #followers: Statement<unknown, [number, number]>
  readonly #following: Statement<unknown, [number, number]>
  readonly #some: Statement<{ follower: number; followee: number }, [number, number, number]>

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly agents: Agents,
    private readonly quotas: Quotas,
    private readonly most: number,
  ) {
    this.#has = store.prepare('SELECT 1 AS one FROM follows WHERE follower = ? AND followee = ?')
    this.#add = store.prepare('INSERT INTO follows (follower, followee, at) VALUES (?, ?, ?)')
    this.#drop = store.prepare('DELETE FROM follows WHERE follower = ? AND followee = ?')
    this.#followers = store.prepare('UPDATE agents SET follower_count = follower_count + ? WHERE n = ?')
    this.#following = store.prepare('UPDATE agents SET following_count = following_count + ? WHERE n = ?')
    this.#some = store.prepare(
      stablePlan(`SELECT * FROM (SELECT follower, followee FROM follows WHERE follower = ?1 LIMIT ?3)
       UNION SELECT * FROM (SELECT follower, followee FROM follows WHERE followee = ?2 LIMIT ?3)`),
    )
  }

  has(follower: number, followee: number): boolean {
    return this.#has.get(follower, followee) !== null
  }

  async follow(caller: AgentCaller, name: string): Promise<Followed> {
    return this.store.write((tx) => {
      const other = this.agents.need(name)
      if (other.n === caller.n) throw unusable('Cannot follow yourself')
      const message = `You already follow ${other.name}`
      if (this.has(caller.n, other.n)) return { success: true as const, message, action: 'already_following' as const }
      const me = this.agents.acting(caller)
      if (me.following_count >= this.most) throw tooMany(this.most)
      this.quotas.charge(tx, 'follow', me)
      this.#add.run(caller.n, other.n, this.clock.now())
      this.#count(caller.n, other.n, 1)
      const facts = { actor: caller.id, subject: other.id }
      this.log.append(tx, AgentFollowed, facts, { agent_id: other.id, follower_id: caller.id })
      return { success: true as const, message: `Now following ${other.name}`, action: 'followed' as const }
    })
  }

  async unfollow(caller: AgentCaller, name: string): Promise<Followed> {
    return this.store.write((tx) => {
      const other = this.agents.need(name)
      const message = `You do not follow ${other.name}`
      if (!this.has(caller.n, other.n)) return { success: true as const, message, action: 'not_following' as const }
      this.#end(caller.n, other.n)
      const facts = { actor: caller.id, subject: other.id }
      this.log.append(tx, AgentUnfollowed, facts, { agent_id: other.id, follower_id: caller.id })
      return { success: true as const, message: `No longer following ${other.name}`, action: 'unfollowed' as const }
    })
  }

  /** Ends some of what ties an agent that left to others; how many ties that were. */
  removeSome(tx: Tx, agent: number, most: number): number {
    void tx
    const ties = this.#some.all(agent, agent, most)
    for (const { follower, followee } of ties) this.#end(follower, followee)
    return ties.length
  }

  #end(follower: number, followee: number): void {
    this.#drop.run(follower, followee)
    this.#count(follower, followee, -1)
  }

  #count(follower: number, followee: number, by: number): void {
    this.#following.run(by, follower)
    this.#followers.run(by, followee)
  }
}

const tooMany = (most: number): SocialError =>
  new SocialError('conflict-wrong-state', `You follow ${most} agents, which is the most; unfollow one first`)
