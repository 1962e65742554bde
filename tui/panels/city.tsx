import { Box } from 'ink'
import type { ReactNode } from 'react'
import { formatAge } from '../../src/client/text.ts'
import { List } from '../parts/list.tsx'
import { type Theme, toneOf } from '../parts/theme.ts'
import { formatAnswers } from '../state/commands.ts'
import { rows } from '../state/rows.ts'
import type { Panel, State } from '../state/state.ts'

interface Props {
  state: State
  width: number
  height: number
  theme: Theme
}

/** One city: what needs attention, its agents beside its sessions, its work, its live events. */
export function CityPage({ state, width, height, theme }: Props): ReactNode {
  const attentionHeight =
    state.attention.length === 0 ? 0 : Math.min(state.attention.length + 1, Math.max(2, Math.floor(height * 0.2)))
  const room = height - attentionHeight
  const top = Math.max(3, Math.floor(room * 0.3))
  const middle = Math.max(3, Math.floor(room * 0.35))
  const left = Math.floor(width * 0.45)
  const common = (panel: Panel) => ({ selected: state.selected[panel], focused: state.panel === panel, theme })
  return (
    <Box flexDirection="column" height={height}>
      {attentionHeight > 0 && (
        <List
          {...common('attention')}
          title="waiting for you"
          rows={rows(state, 'attention')}
          width={width}
          height={attentionHeight}
          empty="nothing with this text"
          keyOf={(item) => item.id}
          cells={(item, wide) => [
            { text: item.session_id ?? item.bead_id ?? item.agent, width: 14 },
            { text: item.kind, width: 10, tone: item.kind === 'failed' || item.kind === 'parked' ? 'bad' : 'warning' },
            { text: `${item.asks} ${formatAnswers(item)}`, width: Math.max(8, wide - 31) },
            { text: formatAge(item.since, state.now), width: 4, tone: 'quiet' },
          ]}
        />
      )}
      <Box height={top}>
        <List
          {...common('agents')}
          title="agents"
          rows={rows(state, 'agents')}
          width={left}
          height={top}
          empty="none declared: gc agent add"
          keyOf={(agent) => agent.name}
          cells={(agent, wide) => [
            { text: agent.name, width: Math.max(4, wide - 22) },
            { text: agent.state, width: 11, tone: toneOf(agent.state) },
            { text: agent.active_bead ?? '', width: 9 },
          ]}
        />
        <List
          {...common('sessions')}
          title="sessions"
          rows={rows(state, 'sessions')}
          width={width - left}
          height={top}
          empty="none: sling some work"
          keyOf={(session) => session.id}
          cells={(session, wide) => [
            { text: session.id, width: 8 },
            { text: session.state || 'closed', width: 12, tone: toneOf(session.state || 'closed') },
            { text: session.alias ?? session.session_name, width: Math.max(4, wide - 27) },
            { text: formatAge(session.last_active ?? session.created_at, state.now), width: 4, tone: 'quiet' },
          ]}
        />
      </Box>
      <List
        {...common('beads')}
        title="beads"
        rows={rows(state, 'beads')}
        width={width}
        height={middle}
        empty="no open work"
        keyOf={(bead) => bead.id}
        cells={(bead, wide) => [
          { text: bead.id, width: 10 },
          { text: bead.status, width: 12, tone: toneOf(bead.status) },
          { text: bead.title, width: Math.max(8, wide - 48) },
          { text: bead.assignee ?? bead.metadata?.['gc.routed_to'] ?? '', width: 18, tone: 'quiet' },
          { text: formatAge(bead.created_at, state.now), width: 4, tone: 'quiet' },
        ]}
      />
      <List
        {...common('events')}
        title="events"
        rows={rows(state, 'events')}
        width={width}
        height={room - top - middle}
        empty="nothing has happened yet"
        keyOf={(event) => String(event.seq)}
        cells={(event, wide) => [
          { text: event.ts.slice(11, 19), width: 8, tone: 'quiet' },
          { text: event.type, width: 30 },
          { text: event.subject ?? '', width: 14 },
          { text: event.message || event.actor, width: Math.max(4, wide - 55), tone: 'quiet' },
        ]}
      />
    </Box>
  )
}
