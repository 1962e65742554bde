import type { AgentResponse } from '../../src/agents/agents/schema.ts'
import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import type { SessionResponse } from '../../src/agents/sessions/schema.ts'
import type { CityInfo } from '../../src/supervisor/schema.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import type { EventRow, List, State } from './state.ts'

interface RowTypes {
  cities: CityInfo
  attention: AttentionItem
  agents: AgentResponse
  sessions: SessionResponse
  beads: Bead
  events: EventRow
}

/** The text of a row that the filter searches. */
const filterText: { [L in List]: (row: RowTypes[L]) => string } = {
  cities: ({ name, path, status }) => `${name} ${path} ${status ?? ''}`,
  attention: ({ agent, session_id, session_name, kind, asks }) =>
    `${agent} ${session_id ?? ''} ${session_name ?? ''} ${kind} ${asks}`,
  agents: ({ name, state, active_bead }) => `${name} ${state} ${active_bead ?? ''}`,
  sessions: ({ id, session_name, alias, template, state, title }) =>
    `${id} ${session_name} ${alias ?? ''} ${template} ${state} ${title}`,
  beads: ({ id, title, status, assignee, issue_type }) => `${id} ${title} ${status} ${assignee ?? ''} ${issue_type}`,
  events: ({ type, actor, subject, message }) => `${type} ${actor} ${subject ?? ''} ${message ?? ''}`,
}

/** The rows of a list that match the filter. */
export function rows<L extends List>(state: State, list: L): readonly RowTypes[L][] {
  const all: { [Name in List]: readonly RowTypes[Name][] } = state
  const needle = state.filter.toLowerCase()
  if (needle === '') return all[list]
  return all[list].filter((row) => filterText[list](row).toLowerCase().includes(needle))
}

/** The session that is open, or selected in a panel that shows sessions. */
export function selectedSession(state: State): string | undefined {
  if (state.view.page === 'session') return state.view.session
  if (state.view.page === 'bead') return undefined
  if (state.panel === 'attention') return rows(state, 'attention')[state.selected.attention]?.session_id
  return state.panel === 'sessions' ? rows(state, 'sessions')[state.selected.sessions]?.id : undefined
}

/** The session of the selected row: the row itself, or the one that an agent runs. */
export function sessionToOpen(state: State): string | undefined {
  if (state.panel === 'sessions' || state.panel === 'attention') return selectedSession(state)
  const name = state.panel === 'agents' ? rows(state, 'agents')[state.selected.agents]?.session?.name : undefined
  return state.sessions.find((session) => name !== undefined && session.session_name === name)?.id
}
