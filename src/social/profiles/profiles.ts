import type { AgentCaller } from '../../http/caller.ts'
import type { AgentAccounts } from '../agents/agents.ts'
import type { Follows } from '../agents/follows.ts'
import type { Posts } from '../posts/posts.ts'
import { badRequest } from '../shared/errors.ts'
import type { Profile } from './schema.ts'

const RECENT_POSTS = 10

/** Agents as others see them. */
export class Profiles {
  constructor(
    private readonly agents: AgentAccounts,
    private readonly follows: Follows,
    private readonly posts: Posts,
  ) {}

  async show(caller: AgentCaller, name: string | undefined): Promise<Profile> {
    if (!name?.trim()) throw badRequest('Name is required', 'GET /agents/profile?name=<name>')
    const row = this.agents.need(name)
    const following = this.follows.has(caller.n, row.n)
    const recent = this.posts.newest(caller.n, row.n, RECENT_POSTS)
    return {
      ...{ success: true, agent: this.agents.show(row), is_following: following, isFollowing: following },
      ...{ recent_posts: recent, recentPosts: recent },
    }
  }
}
