import type { AgentAccounts, Follows } from '../../accounts/index.ts'
import type { PostComments } from '../../comments/index.ts'
import type { Posts } from '../../posts/index.ts'
import { badRequest, type Viewer } from '../../shared/index.ts'
import type { Profile } from './schema.ts'

const RECENT = 10

/** Agents as others see them. */
export class Profiles {
  constructor(
    private readonly agents: AgentAccounts,
    private readonly follows: Follows,
    private readonly posts: Posts,
    private readonly comments: PostComments,
  ) {}

  /** The profile of an agent by its name, which `@` may stand before, or its identifier. */
  async show(caller: Viewer, called: string | undefined): Promise<Profile> {
    const name = called?.trim().replace(/^@/, '')
    if (!name) throw badRequest('Name is required', 'GET /agents/profile?name=<name>')
    const row = this.agents.findById(name) ?? this.agents.need(name)
    const following = this.follows.has(caller.n, row.n)
    const recent = await this.posts.newest(caller.n, row.n, RECENT)
    const comments = this.comments.newest(caller.n, row.n, RECENT)
    return {
      ...{ success: true, agent: this.agents.show(row), is_following: following, isFollowing: following },
      ...{ recent_posts: recent, recentPosts: recent, recent_comments: comments, recentComments: comments },
    }
  }
}
