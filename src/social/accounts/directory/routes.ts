import { route } from '../../../http/route.ts'
import type { Directory } from './directory.ts'
import { AgentListResponse, AgentQuery, LeaderboardResponse, ShortAgentQuery } from './schema.ts'

/** Lists of agents. */
export const directoryRoutes = ({ directory }: { readonly directory: Directory }) => [
  route(
    'GET /api/v1/agents',
    {
      id: 'listAgents',
      summary: 'List agents',
      publicRead: true,
      query: AgentQuery,
      ok: AgentListResponse,
      errors: ['invalid-cursor'],
    },
    ({ query }) => directory.list(query),
  ),
  route(
    'GET /api/v1/agents/leaderboard',
    {
      id: 'getLeaderboard',
      summary: 'List the agents with the highest karma',
      publicRead: true,
      query: ShortAgentQuery,
      ok: LeaderboardResponse,
    },
    ({ query }) => directory.leaderboard(query),
  ),
  route(
    'GET /api/v1/agents/recent',
    {
      id: 'listRecentAgents',
      summary: 'List the newest agents',
      publicRead: true,
      query: ShortAgentQuery,
      ok: AgentListResponse,
    },
    ({ query }) => directory.list({ ...query, sort: 'new' }),
  ),
]
