import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { sparkLine, type Tone } from '../../client/views/index.ts'
import { countOf, formatDuration } from '../../src/client/text.ts'
import { HEADER, tabsOf } from '../state/header.ts'
import { focused } from '../state/navigation.ts'
import { here, type State, viewOf } from '../state/state.ts'
import { waitingCount } from '../state/waiting.ts'
import type { Icons } from './icons.ts'
import { useLook } from './look.ts'
import { type Span, styled, widthOf } from './styled.ts'

/** The cities that are open, and how the one that is shown stands. */
export function Header({ state }: { state: State }): ReactNode {
  const { theme, icons } = useLook()
  const status = statusSpans(state, icons)
  return (
    <Box height={1} flexShrink={0}>
      <Box flexGrow={1} flexShrink={1} height={1}>
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

/** Screens with less room leave out rigs and budget, then the activity. */
const ROOM_FOR_FACTS = 110
const ROOM_FOR_ACTIVITY = 90
/** Seconds that are one bar of the activity. */
const BAR_SECONDS = 4
const BARS = 15

function factSpans(state: State, icons: Icons): Span[] {
  const facts = state.facts[here(state).city]
  const budget = facts?.budget
  const rigs = facts && facts.rigs > 0 && state.width >= ROOM_FOR_FACTS ? [{ text: countOf(facts.rigs, 'rig') }] : []
  const left = budget && state.width >= ROOM_FOR_FACTS ? [{ text: `${budget.text} left`, isLow: budget.isLow }] : []
  const bars = activityOf(state.activity, icons.bars)
  return [
    ...rigs.map(({ text }): Span => ({ text: `${text} · `, tone: 'quiet' })),
    ...left.map(({ text, isLow }): Span => ({ text: `${text} · `, tone: isLow ? 'warning' : 'quiet' })),
    ...(facts && state.width >= ROOM_FOR_ACTIVITY ? [{ text: `${bars} · `, tone: 'busy' as const }] : []),
  ]
}

/** Events of the last minute, the newest at the right. */
function activityOf(seconds: readonly number[], bars: string): string {
  const filled = [...Array.from({ length: BARS * BAR_SECONDS - seconds.length }, () => 0), ...seconds]
  const sums = Array.from({ length: BARS }, (_, at) =>
    filled.slice(at * BAR_SECONDS, (at + 1) * BAR_SECONDS).reduce((sum, each) => sum + each, 0),
  )
  return sparkLine(sums, bars)
}

function statusSpans(state: State, icons: Icons): Span[] {
  const waiting = waitingCount(state, here(state).city)
  const { text, tone } = connectionStatus(state)
  return [
    ...factSpans(state, icons),
    ...(waiting === 0 ? [] : [{ text: `${icons.waiting} ${waiting} waiting · `, tone: 'warning' as const }]),
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
