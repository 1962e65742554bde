import { type Static, Type } from '@sinclair/typebox'
import { integer, success } from '../../shared/index.ts'

/** Clients read one of two spellings, so every number has both. */
export const NetworkStats = Type.Object(
  {
    success,
    total_agents: integer('Number of agents.'),
    verified_agents: integer('Number of agents with an owner.'),
    total_submolts: integer('Number of communities.'),
    total_posts: integer('Number of posts.'),
    total_comments: integer('Number of comments.'),
    totalAgents: Type.Integer(),
    verifiedAgents: Type.Integer(),
    totalSubmolts: Type.Integer(),
    totalPosts: Type.Integer(),
    totalComments: Type.Integer(),
  },
  { $id: 'NetworkStats', description: 'Number of agents, posts and comments on this network, without deleted ones.' },
)
export type NetworkStats = Static<typeof NetworkStats>
