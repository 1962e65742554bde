import { getTableColumns } from 'drizzle-orm'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { type SessionRow, sessions } from './table.ts'

/** What the database holds otherwise than we work with it. */
type Encoded = 'aliasHistory' | 'options' | 'fingerprint' | 'resumed'
type Stored = Omit<SessionRow, Encoded> & Record<Exclude<Encoded, 'resumed'>, string> & { resumed: number }

const COLUMNS = Object.entries(getTableColumns(sessions))
  .map(([key, { name }]) => `${name} AS ${key}`)
  .join(', ')

/** What is asked often: every request of a session reads its row, and every look all that live. Newest first. */
export function sessionQueries(store: Store) {
  const where = (terms: string): ((...given: string[]) => SessionRow[]) => {
    const sql = `SELECT ${COLUMNS} FROM sessions WHERE ${terms} ORDER BY created_at DESC, id DESC`
    const statement = store.prepare<Stored, string[]>(stablePlan(sql))
    return (...given) => statement.all(...given).map(toRow)
  }
  const called = (terms: string) => ({
    sessionName: where(`${terms} AND session_name = ?`),
    alias: where(`${terms} AND alias = ?`),
  })
  const live = "state != 'closed'"
  const over = "state = 'closed'"
  return {
    one: where('id = ?'),
    some: where('id IN (SELECT value FROM json_each(?))'),
    live: where(live),
    liveOf: where(`${live} AND template = ?`),
    lingering: where(
      `${over} AND id IN (SELECT id FROM sessions INDEXED BY sessions_hosted WHERE host_key IS NOT NULL)`,
    ),
    withKey: where('host_key IS NOT NULL AND host_key = ?'),
    liveNamed: {
      ...called(live),
      named: where(`${live} AND named = ?`),
      agentName: where(`${live} AND agent_name = ?`),
    },
    pastNamed: called(over),
  }
}

/** In place: a copy of forty columns would cost more than reading them. */
const toRow = (stored: Stored): SessionRow =>
  Object.assign(stored, {
    aliasHistory: JSON.parse(stored.aliasHistory),
    options: JSON.parse(stored.options),
    fingerprint: JSON.parse(stored.fingerprint),
    resumed: stored.resumed === 1,
  })
