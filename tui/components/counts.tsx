import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { CONCERNS, type Tone } from '../../client/views/index.ts'
import { attentionOf } from '../state/navigation.ts'
import { here, type State, viewOf } from '../state/state.ts'
import { useLook } from './look.ts'
import { type Span, styled } from './styled.ts'

const TONES = { 'needs you': 'warning', failing: 'bad', 'at a limit': 'warning' } as const satisfies Record<
  string,
  Tone
>

/** Healthy counts in one line: working sessions and their targets; problems come before them. */
export function Counts({ state }: { state: State }): ReactNode {
  const { theme } = useLook()
  return (
    <Box position="absolute" left={0} top={0} width={state.width} height={1}>
      <Text wrap="truncate">{styled([{ text: ' ' }, ...spansOf(state)], theme)}</Text>
    </Box>
  )
}

function spansOf(state: State): Span[] {
  const { city } = here(state)
  const { rows, loadedAt } = viewOf(state, attentionOf(city))
  const concerns = CONCERNS.flatMap((concern): Span[] => {
    const count = rows.filter(({ mark }) => mark === concern).length
    return count === 0
      ? []
      : [{ text: `${count} ${concern === 'needs you' && count > 1 ? 'need you' : concern}`, tone: TONES[concern] }]
  })
  const calm: Span[] = loadedAt !== undefined && rows.length === 0 ? [{ text: 'nothing needs you', tone: 'good' }] : []
  return between([...concerns, ...calm, ...healthOf(state, city)])
}

function healthOf({ facts }: State, city: string): Span[] {
  const known = facts[city]
  if (!known) return []
  const { working, agents, work, unread } = known
  const count = (value: number, what: string, tone: Tone): Span[] =>
    value === 0 ? [] : [{ text: `${value} ${what}`, tone }]
  return [
    { text: `${working} running`, tone: working > 0 ? 'good' : 'quiet' },
    { text: `${agents} agents`, tone: 'quiet' },
    ...count(work.in_progress, 'in progress', 'busy'),
    ...count(work.ready, 'ready', 'plain'),
    { text: `${work.open} open`, tone: 'quiet' },
    ...count(unread, 'unread', 'warning'),
  ]
}

const between = (spans: readonly Span[]): Span[] =>
  spans.flatMap((span, at) => (at === 0 ? [span] : [{ text: ' · ', tone: 'quiet' as const }, span]))
