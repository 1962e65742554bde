import { getTableColumns } from 'drizzle-orm'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { type SessionRow, sessions } from './table.ts'

/** The columns that the database stores as JSON, and as 0 or 1. */
type TextColumn = 'aliasHistory' | 'options' | 'fingerprint'
type FlagColumn = 'resumed' | 'worked'
type StoredRow = Omit<SessionRow, TextColumn | FlagColumn> & Record<TextColumn, string> & Record<FlagColumn, number>

const COLUMNS = Object.entries(getTableColumns(sessions))
  .map(([key, { name }]) => `${name} AS ${key}`)
  .join(', ')

/** Prepared queries of the hot paths; rows come newest first. */
export function sessionQueries(store: Store) {
  const where = (condition: string): ((...values: string[]) => SessionRow[]) => {
    const sql = `SELECT ${COLUMNS} FROM sessions WHERE ${condition} ORDER BY created_at DESC, id DESC`
    const statement = store.prepare<StoredRow, string[]>(stablePlan(sql))
    return (...values) => statement.all(...values).map(toRow)
  }
  const byUniqueName = (condition: string) => ({
    sessionName: where(`${condition} AND session_name = ?`),
    alias: where(`${condition} AND alias = ?`),
  })
  const live = "state != 'closed'"
  const closed = "state = 'closed'"
  return {
    byId: where('id = ?'),
    byIds: where('id IN (SELECT value FROM json_each(?))'),
    live: where(live),
    liveByTemplate: where(`${live} AND template = ?`),
    closedWithProcess: where(
      `${closed} AND id IN (SELECT id FROM sessions INDEXED BY sessions_hosted WHERE host_key IS NOT NULL)`,
    ),
    byHostKey: where('host_key IS NOT NULL AND host_key = ?'),
    liveByName: {
      ...byUniqueName(live),
      named: where(`${live} AND named = ?`),
      agentName: where(`${live} AND agent_name = ?`),
    },
    closedByName: byUniqueName(closed),
  }
}

/** Decodes in place, since a copy of forty columns costs more than reading them. */
const toRow = (stored: StoredRow): SessionRow =>
  Object.assign(stored, {
    aliasHistory: JSON.parse(stored.aliasHistory),
    options: JSON.parse(stored.options),
    fingerprint: JSON.parse(stored.fingerprint),
    resumed: stored.resumed === 1,
    worked: stored.worked === 1,
  })
