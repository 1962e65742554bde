import { type Query, query, type Store, stablePlan } from '../../core/store/index.ts'

/** The sources of a feed: followed agents only, or subscribed submolts as well. */
export type Reach = 'following' | 'all'

const FOLLOWED = 'EXISTS (SELECT 1 FROM follows f WHERE f.follower = ?1 AND f.followee = p.author)'
const SUBSCRIBED = 'EXISTS (SELECT 1 FROM subscriptions s WHERE s.agent = ?1 AND s.submolt = p.submolt)'

/** Selects those of some posts that are from an agent's sources. */
export const filterSql = (reach: Reach): string =>
  `SELECT p.n FROM json_each(?2) j CROSS JOIN posts p ON p.n = j.value
   WHERE ${reach === 'following' ? FOLLOWED : `(${FOLLOWED} OR ${SUBSCRIBED})`}`

const COUNTS = query<Record<Reach, number>, [number]>(
  'SELECT following_count AS following, following_count + subscriptions_count AS "all" FROM agents WHERE n = ?',
)

const FILTERS: Readonly<Record<Reach, Query<{ n: number }, [number, string]>>> = {
  following: query(stablePlan(filterSql('following'))),
  all: query(stablePlan(filterSql('all'))),
}

/** The agents and submolts that an agent follows and subscribes to. */
export class FeedSources {
  constructor(private readonly store: Store) {}

  count(agent: number, reach: Reach): number {
    return this.store.get(COUNTS, agent)?.[reach] ?? 0
  }

  /** Those of some posts, by row number, that are from the sources. */
  filter(agent: number, reach: Reach, numbers: readonly number[]): Set<number> {
    return new Set(this.store.all(FILTERS[reach], agent, JSON.stringify(numbers)).map(({ n }) => n))
  }
}
