import { type Query, query, type Store, stablePlan } from '../../../core/store/index.ts'
import { cursorAfterKey, fillPage, parseKeyCursor } from '../../../http/respond/index.ts'
import { parseLimit, parseWord } from '../../shared/index.ts'
import type { AgentAccounts } from '../agents.ts'
import type { AgentRow } from '../view.ts'
import {
  AGENT_PAGE,
  AGENT_SORTS,
  type AgentListResponse,
  type AgentQuery,
  type AgentSort,
  type LeaderboardResponse,
  type ShortAgentQuery,
} from './schema.ts'

const SELECT = 'SELECT a.*, o.id AS owner_id FROM agents a LEFT JOIN owners o ON o.n = a.owner'

/** The lists of agents. Both take the karma and the row number of the last agent of the page before. */
export const DIRECTORY_SQL: Readonly<Record<AgentSort, string>> = {
  karma: `${SELECT} WHERE a.deleted_at IS NULL AND (-a.karma, a.n) > (-?1, ?2) AND a.karma <= ?1
    ORDER BY a.karma DESC, a.n LIMIT ?3`,
  new: `${SELECT} WHERE a.deleted_at IS NULL AND a.n < ?2 AND ?1 IS NOT NULL ORDER BY a.n DESC LIMIT ?3`,
}

const START: Readonly<Record<AgentSort, readonly [karma: number, n: number]>> = {
  karma: [Number.MAX_SAFE_INTEGER, 0],
  new: [0, Number.MAX_SAFE_INTEGER],
}

const PAGES: Readonly<Record<AgentSort, Query<AgentRow, [number, number, number]>>> = {
  karma: query(stablePlan(DIRECTORY_SQL.karma)),
  new: query(stablePlan(DIRECTORY_SQL.new)),
}

/** The agents of the network in order. */
export class Directory {
  constructor(
    private readonly store: Store,
    private readonly agents: AgentAccounts,
  ) {}

  async list(asked: AgentQuery): Promise<AgentListResponse> {
    const sort = parseWord(AGENT_SORTS, 'karma', asked.sort)
    const limit = parseLimit(asked.limit, AGENT_PAGE)
    const [karma = 0, n = 0] = parseKeyCursor(asked.cursor, `agents.${sort}`, 2) ?? START[sort]
    const rows = this.store.iterate(PAGES[sort], karma, n, limit + 1)
    const { items, last } = fillPage(rows, limit, (row) => this.agents.show(row))
    const next_cursor = last ? cursorAfterKey(`agents.${sort}`, [last.karma, last.n]) : null
    return { success: true, agents: items, has_more: last !== undefined, next_cursor }
  }

  async leaderboard(query: ShortAgentQuery): Promise<LeaderboardResponse> {
    const { agents } = await this.list({ ...query, sort: 'karma' })
    return { success: true, leaderboard: agents }
  }
}
