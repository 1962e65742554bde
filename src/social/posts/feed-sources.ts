import { type Statement, type Store, stablePlan } from '../../core/store/index.ts'

/** The sources of a feed: followed agents only, or subscribed submolts as well. */
export type Reach = 'following' | 'all'

const FOLLOWED = 'EXISTS (SELECT 1 FROM follows f WHERE f.follower = ?1 AND f.followee = p.author)'
const SUBSCRIBED = 'EXISTS (SELECT 1 FROM subscriptions s WHERE s.agent = ?1 AND s.submolt = p.submolt)'

/** Selects those of some posts that are from an agent's sources. */
export const filterSql = (reach: Reach): string =>
  `SELECT p.n FROM json_each(?2) j CROSS JOIN posts p ON p.n = j.value
   WHERE ${reach === 'following' ? FOLLOWED : `(${FOLLOWED} OR ${SUBSCRIBED})`}`

/** The agents and submolts that an agent follows and subscribes to. */
export class FeedSources {
  readonly #counts: Statement<Record<Reach, number>, [number]>
  readonly #filters: Readonly<Record<Reach, Statement<{ n: number }, [number, string]>>>

  constructor(store: Store) {
    this.#counts = store.prepare(
      'SELECT following_count AS following, following_count + subscriptions_count AS "all" FROM agents WHERE n = ?',
    )
    this.#filters = {
      following: store.prepare(stablePlan(filterSql('following'))),
      all: store.prepare(stablePlan(filterSql('all'))),
    }
  }

  count(agent: number, reach: Reach): number {
    return this.#counts.get(agent)?.[reach] ?? 0
  }

  /** Those of some posts, by row number, that are from the sources. */
  filter(agent: number, reach: Reach, numbers: readonly number[]): Set<number> {
    return new Set(this.#filters[reach].all(agent, JSON.stringify(numbers)).map(({ n }) => n))
  }
}
