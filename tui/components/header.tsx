import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { formatDuration } from '../../src/client/text.ts'
import type { Tone } from '../pages/tones.ts'
import { HEADER, tabsOf } from '../state/header.ts'
import { focused } from '../state/navigation.ts'
import { here, type State, viewOf } from '../state/state.ts'
import { waitingCount } from '../state/waiting.ts'
import { useLook } from './look.ts'
import { type Span, styled, widthOf } from './styled.ts'

/** The cities that are open, and how the one that is shown stands. */
export function Header({ state }: { state: State }): ReactNode {
  const { theme } = useLook()
  const status = statusSpans(state)
  return (
    <Box height={1} flexShrink={0}>
      <Box flexGrow={1} flexShrink={1} height={1} overflow="hidden">
        <Text wrap="truncate">{styled([{ text: HEADER.name, tone: 'strong' }, ...tabSpans(state)], theme)}</Text>
      </Box>
      <Box flexShrink={0} width={Math.min(widthOf(status) + 2, state.width)}>
        <Text wrap="truncate">{styled([{ text: ' ' }, ...status], theme)}</Text>
      </Box>
    </Box>
  )
}

const tabSpans = (state: State): Span[] =>
  tabsOf(state).flatMap(({ text, isShown, waiting }, at): Span[] => [
    { text: at === 0 ? '' : HEADER.between, tone: 'quiet' },
    { text, tone: isShown ? 'strong' : waiting > 0 ? 'warning' : 'quiet' },
  ])

function statusSpans(state: State): Span[] {
  const waiting = waitingCount(state, here(state).city)
  const { text, tone } = connectionStatus(state)
  return [
    ...(waiting === 0 ? [] : [{ text: `! ${waiting} waiting · `, tone: 'warning' as const }]),
    ...(state.hasMouse ? [] : [{ text: 'selecting · ', tone: 'busy' as const }]),
    { text, tone },
  ]
}

/** The age of data older than this is shown, even while the stream is connected. */
const STALE_MS = 20_000

/** A supervisor that leaves a request without an answer for so long is said not to answer. */
const SLOW_MS = 2_000

function connectionStatus(state: State): { text: string; tone: Tone } {
  const { connection, now, unanswered = now } = state
  const { loadedAt } = viewOf(state, focused(state))
  const age = loadedAt === undefined ? '' : ` · data ${formatDuration(now - loadedAt)} old`
  const waited = now - unanswered
  if (connection.live && waited >= SLOW_MS)
    return { text: `no answer for ${formatDuration(waited)}${age}`, tone: 'warning' }
  if (connection.live) return { text: 'live', tone: 'good' }
  const away = now - connection.since
  if (away < 1000 && loadedAt === undefined) return { text: 'connecting', tone: 'busy' }
  return { text: `reconnecting for ${formatDuration(away)}${age}`, tone: away > STALE_MS ? 'bad' : 'warning' }
}
