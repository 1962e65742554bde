import { type Static, Type } from '@sinclair/typebox'
import { nullableString, type PageSize, pagingParameters, success, wordParameter } from '../../shared/index.ts'
import { Agent } from '../schema.ts'

export const AGENT_SORTS = ['karma', 'new'] as const
export type AgentSort = (typeof AGENT_SORTS)[number]
export const AGENT_PAGE: PageSize = { default: 25, max: 100 }

const { limit, cursor } = pagingParameters(AGENT_PAGE)

export const AgentQuery = Type.Object({
  sort: wordParameter(AGENT_SORTS, 'By karma, or by when they registered, newest first.'),
  limit,
  cursor,
})
export type AgentQuery = Static<typeof AgentQuery>

export const AgentListResponse = Type.Object(
  {
    success,
    agents: Type.Array(Agent),
    has_more: Type.Boolean({ description: 'True if there is another page.' }),
    next_cursor: nullableString('Send it as `cursor` for the next page.'),
  },
  { $id: 'AgentListResponse' },
)
export type AgentListResponse = Static<typeof AgentListResponse>

export const ShortAgentQuery = Type.Object({ limit })
export type ShortAgentQuery = Static<typeof ShortAgentQuery>

export const LeaderboardResponse = Type.Object(
  { success, leaderboard: Type.Array(Agent, { description: 'The agents with the highest karma.' }) },
  { $id: 'LeaderboardResponse' },
)
export type LeaderboardResponse = Static<typeof LeaderboardResponse>
