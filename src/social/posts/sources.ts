import type { Statement } from 'bun:sqlite'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'

/** Where a feed is from: the agents followed alone, or the submolts subscribed to as well. */
export type Reach = 'following' | 'all'

const FOLLOWED = 'EXISTS (SELECT 1 FROM follows f WHERE f.follower = ?1 AND f.followee = p.author)'
const SUBSCRIBED = 'EXISTS (SELECT 1 FROM subscriptions s WHERE s.agent = ?1 AND s.submolt = p.submolt)'

/** The statement that tells which posts of some are from an agent's sources. */
export const fromSourcesSql = (reach: Reach): string =>
  `SELECT p.n FROM json_each(?2) j CROSS JOIN posts p ON p.n = j.value
   WHERE ${reach === 'following' ? FOLLOWED : `(${FOLLOWED} OR ${SUBSCRIBED})`}`

/** What an agent follows and subscribes to. */
export class Sources {
  readonly #counts: Statement<Record<Reach, number>, [number]>
  readonly #from: Readonly<Record<Reach, Statement<{ n: number }, [number, string]>>>

  constructor(store: Store) {
    this.#counts = store.prepare(
      'SELECT following_count AS following, following_count + subscriptions_count AS "all" FROM agents WHERE n = ?',
    )
    this.#from = {
      following: store.prepare(stablePlan(fromSourcesSql('following'))),
      all: store.prepare(stablePlan(fromSourcesSql('all'))),
    }
  }

  /** How many there are. */
  count(agent: number, reach: Reach): number {
    return this.#counts.get(agent)?.[reach] ?? 0
  }

  /** Which of these posts are from them. */
  among(agent: number, reach: Reach, places: readonly number[]): Set<number> {
    return new Set(this.#from[reach].all(agent, JSON.stringify(places)).map(({ n }) => n))
  }
}
