import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { displayWidth, formatDuration, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { State } from '../state/state.ts'
import type { Theme, Tone } from './theme.ts'

interface Props {
  state: State
  width: number
  theme: Theme
}

/** The top line: the current page, whether the stream is live, and how old the data is. */
export function Header({ state, width, theme }: Props): ReactNode {
  const { text, tone } = connectionStatus(state)
  const location = truncate(` gc  ${sanitizeLine(locationOf(state))}`, Math.max(4, width - displayWidth(text) - 2))
  const gap = ' '.repeat(Math.max(1, width - displayWidth(location) - displayWidth(text) - 1))
  return (
    <Text wrap="truncate">
      <Text {...theme('strong')}>{location}</Text>
      {gap}
      <Text {...theme(tone)}>{text}</Text>
    </Text>
  )
}

function locationOf({ view }: State): string {
  if (view.page === 'cities') return 'cities'
  if (view.page === 'city') return view.city
  return `${view.city} › ${view.page === 'session' ? view.session : view.bead}`
}

/** The age of data older than this is shown, even while the stream is connected. */
const STALE_MS = 20_000

function connectionStatus({ connection: link, freshAt, now }: State): { text: string; tone: Tone } {
  const age = now - freshAt
  if (!link.live)
    return { text: `reconnecting ${formatDuration(now - link.since)} · data ${formatDuration(age)} old`, tone: 'bad' }
  return age > STALE_MS ? { text: `data ${formatDuration(age)} old`, tone: 'warning' } : { text: 'live', tone: 'good' }
}

/** The bottom line: what is being typed, else a notice, else the most important keys. */
export function Footer({ state, width, theme }: Props): ReactNode {
  if (state.line) {
    const mark = state.line.kind === 'filter' ? '/' : ':'
    return <Text wrap="truncate">{` ${mark}${truncate(state.line.text, width - 4)}█`}</Text>
  }
  if (state.notice) {
    return (
      <Text {...theme(state.notice.bad ? 'bad' : 'good')}>
        {truncate(` ${sanitizeLine(state.notice.text)}`, width - 1)}
      </Text>
    )
  }
  const filter = state.filter === '' ? '' : ` filter "${sanitizeLine(state.filter)}" (esc clears it) ·`
  return (
    <Box>
      <Text {...theme('quiet')}>{truncate(`${filter} ${HINTS[state.view.page]}`, width - 1)}</Text>
    </Box>
  )
}

const HINTS = {
  cities: 'enter open · / filter · : command · ? help · q quit',
  city: 'tab panel · enter open · / filter · : command · esc back · ? help · q quit',
  bead: 'up down scroll · : command · esc back · ? help · q quit',
  session: 'esc back · : command · ? help · q quit',
} as const
