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

/** The top line: where one is, whether the stream is live, how old what is shown is. */
export function Header({ state, width, theme }: Props): ReactNode {
  const { text, tone } = connectionStatus(state)
  const place = truncate(` gc  ${sanitizeLine(locationOf(state))}`, Math.max(4, width - displayWidth(text) - 2))
  const gap = ' '.repeat(Math.max(1, width - displayWidth(place) - displayWidth(text) - 1))
  return (
    <Text wrap="truncate">
      <Text {...theme('strong')}>{place}</Text>
      {gap}
      <Text {...theme(tone)}>{text}</Text>
    </Text>
  )
}

function locationOf({ view }: State): string {
  if (view.at === 'cities') return 'cities'
  if (view.at === 'city') return view.city
  return `${view.city} › ${view.at === 'session' ? view.session : view.bead}`
}

/** Data older than this is worth a word, even while the stream is open. */
const STALE_MS = 20_000

function connectionStatus({ connection: link, freshAt, now }: State): { text: string; tone: Tone } {
  const old = now - freshAt
  if (!link.live)
    return { text: `reconnecting ${formatDuration(now - link.since)} · data ${formatDuration(old)} old`, tone: 'bad' }
  return old > STALE_MS ? { text: `data ${formatDuration(old)} old`, tone: 'warning' } : { text: 'live', tone: 'good' }
}

/** The bottom line: what is being typed, else what was said, else the keys that matter most. */
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
      <Text {...theme('quiet')}>{truncate(`${filter} ${HINTS[state.view.at]}`, width - 1)}</Text>
    </Box>
  )
}

const HINTS = {
  cities: 'enter open · / filter · : command · ? help · q quit',
  city: 'tab panel · enter open · / filter · : command · esc back · ? help · q quit',
  bead: 'up down scroll · : command · esc back · ? help · q quit',
  session: 'esc back · : command · ? help · q quit',
} as const
