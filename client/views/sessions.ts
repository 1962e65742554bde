import { isQuestion } from '../../src/client/attention.ts'
import type { SessionResponse } from '../../src/work/sessions/index.ts'
import { type Columns, isOneOf, type PageEvent, table } from './page.ts'
import { searchSessions } from './search.ts'
import { actionsOfSession } from './session-actions.ts'
import { differenceOf } from './several.ts'
import { toneOf } from './tones.ts'
import { readUnconfined, unconfinedCell } from './unconfined.ts'

const PAGE = 200

/** A session as it is listed, whether it waits for an answer, whether nothing confines it although others are, and the title of its bead. */
type Listed = SessionResponse & {
  readonly asks?: boolean
  readonly isUnconfined: boolean
  readonly work?: string | undefined
}

const stateOf = ({ state, asks }: Listed): string => (asks ? 'waiting' : state || 'closed')

/** Facts of a session that an action on several of them relies on. */
const SESSION_FACTS = { state: 'state', active_bead: 'bead' }

/** Columns of a list of sessions. */
export const sessionColumns = {
  id: { title: 'id', header: 'SESSION', width: 8, isName: true, cell: ({ id }) => id },
  state: { title: 'state', width: 12, cell: (session) => ({ text: stateOf(session), tone: toneOf(stateOf(session)) }) },
  name: {
    ...{ title: 'name', width: 10, grows: true, isName: true },
    cell: ({ alias, session_name }) => alias ?? session_name,
  },
  confined: { title: 'confined', width: 8, leaves: 1, cell: ({ isUnconfined }) => unconfinedCell(isUnconfined) },
  agent: {
    ...{ title: 'agent', width: 20, leaves: 6, yields: true, isName: true },
    cell: ({ template }) => ({ text: template, tone: 'quiet' }),
  },
  bead: { title: 'bead', header: 'WORK', width: 9, leaves: 2, cell: ({ active_bead }) => active_bead },
  work: { title: 'works on', width: 16, grows: true, leaves: 5, cell: ({ work }) => work },
  turn: {
    ...{ title: 'turn', width: 7, leaves: 7, yields: true },
    cell: ({ activity }) => ({ text: activity ?? '', tone: 'quiet' }),
  },
  context: {
    ...{ title: 'ctx', width: 4, leaves: 4 },
    cell: ({ context_pct: used }) => (used === undefined ? '' : `${used}%`),
  },
  age: {
    ...{ title: 'age', header: 'ACTIVE', width: 4 },
    cell: (each) => ({ since: each.last_active ?? each.created_at, tone: 'quiet' }),
  },
  title: { title: 'title', width: 16, grows: true, isExtra: true, cell: ({ title }) => title },
  rig: { title: 'rig', width: 8, isExtra: true, isName: true, cell: ({ rig }) => rig },
  program: { title: 'program', width: 8, isExtra: true, cell: ({ provider }) => provider },
  folder: { title: 'folder', width: 16, grows: true, isExtra: true, isName: true, cell: ({ work_dir }) => work_dir },
} satisfies Columns<Listed>

/** The orders of the list, and the states that each shows. */
const ORDERS: Readonly<Record<string, string>> = {
  'those that live': 'open',
  'those that run': 'creating,active,draining',
  'those that are held': 'suspended,quarantined,failed-create',
  'closed ones': 'closed',
}

const isOfSessions = isOneOf('session.', 'agent.', 'attention.')

const isOfPeople = (actor = ''): boolean => actor === 'human' || actor === 'operator' || actor.startsWith('@')

/** True if an agent took up a bead, or is done with one: what people do to beads changes no session automatically. */
const isWork = ({ type, actor }: PageEvent): boolean =>
  (type === 'bead.updated' || type === 'bead.closed') && !isOfPeople(actor)

/** The live sessions of a city, newest first. */
export const sessionsPage = table<Listed>({
  name: 'sessions',
  title: 'sessions',
  help: 'the agents that run',
  empty: 'none: n on an agent slings work to it',
  columns: Object.values(sessionColumns),
  idOf: ({ id }) => id,
  isChangedBy: (event) => isOfSessions(event) || isWork(event),
  opens: ({ id }, city) => ({ page: 'session', city, subject: id }),
  sorts: Object.keys(ORDERS),
  load: async (reach, { cursor, sort }) => {
    const { city, signal } = reach
    const state = ORDERS[sort ?? ''] ?? 'open'
    const query = { limit: PAGE, state, ...(cursor && { cursor }) }
    const call = signal ? { signal } : {}
    const [{ items, total, next_cursor: next }, waiting, unconfined, beads] = await Promise.all([
      city.call('GET ~/sessions', { query, ...call }),
      city.call('GET ~/attention', call),
      readUnconfined(reach),
      city.call('GET ~/beads', { query: { status: 'in_progress', limit: PAGE }, ...call }),
    ])
    const titles = new Map(beads.items.map(({ id, title }) => [id, title]))
    const asking = new Set(waiting.items.flatMap((item) => (isQuestion(item) ? (item.session_id ?? []) : [])))
    const free = new Set(unconfined.map(({ session_id }) => session_id))
    const listed = (items ?? []).map((session) => {
      return {
        ...session,
        asks: asking.has(session.id),
        isUnconfined: free.has(session.id),
        work: titles.get(session.active_bead ?? ''),
      }
    })
    return { items: listed, total, next }
  },
  actionsOf: (session) => actionsOfSession(session),
  changed: async (session, { city }) =>
    differenceOf(session, await city.call('GET ~/session/{id}', { params: { id: session.id } }), SESSION_FACTS),
  actions: () => [searchSessions],
})
