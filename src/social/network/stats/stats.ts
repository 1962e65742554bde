import { AppError } from '../../../core/errors.ts'
import { query, type Store } from '../../../core/store/index.ts'
import type { NetworkStats } from './schema.ts'
import type { totals } from './table.ts'

const TOTALS = query<typeof totals.$inferSelect>('SELECT * FROM totals')

/** Totals of the network. */
export class Stats {
  constructor(private readonly store: Store) {}

  async show(): Promise<NetworkStats> {
    const row = this.store.get(TOTALS)
    if (!row) throw new AppError('internal', 'the totals of the network have no row')
    const { agents, claimed_agents, submolts, posts, comments } = row
    return {
      ...{ success: true, total_agents: agents, verified_agents: claimed_agents, total_submolts: submolts },
      ...{ total_posts: posts, total_comments: comments },
      ...{ totalAgents: agents, verifiedAgents: claimed_agents, totalSubmolts: submolts },
      ...{ totalPosts: posts, totalComments: comments },
    }
  }
}
