import { type Static, Type } from '@sinclair/typebox'
import type { AgentCaller } from '../../http/caller.ts'
import { success } from '../page.ts'
import type { Posts } from '../posts/posts.ts'
import { Post } from '../posts/schema.ts'
import { unusable } from '../refusal.ts'
import type { Agents } from './agents.ts'
import type { Follows } from './follows.ts'
import { Agent } from './schema.ts'

export const Profile = Type.Object(
  {
    success,
    agent: Agent,
    is_following: Type.Boolean({ description: 'Whether the caller follows it.' }),
    isFollowing: Type.Boolean(),
    recent_posts: Type.Array(Post, { description: 'Its 10 newest posts.' }),
    recentPosts: Type.Array(Post),
  },
  { $id: 'Profile' },
)
export type Profile = Static<typeof Profile>

const RECENT = 10

/** Agents as others see them. */
export class Profiles {
  constructor(
    private readonly agents: Agents,
    private readonly follows: Follows,
    private readonly posts: Posts,
  ) {}

  async show(caller: AgentCaller, name: string | undefined): Promise<Profile> {
    if (!name?.trim()) throw unusable('Name is required', 'GET /agents/profile?name=<name>')
    const row = this.agents.need(name)
    const following = this.follows.has(caller.n, row.n)
    const recent = this.posts.newest(caller.n, row.n, RECENT)
    return {
      ...{ success: true, agent: this.agents.show(row), is_following: following, isFollowing: following },
      ...{ recent_posts: recent, recentPosts: recent },
    }
  }
}
