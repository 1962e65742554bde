import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { sanitizeLine, truncate } from '../../src/client/text.ts'
import { type Theme, toneOf } from '../parts/theme.ts'
import { formatAnswers } from '../state/commands.ts'
import type { State } from '../state/state.ts'

interface Props {
  state: State
  session: string
  width: number
  height: number
  theme: Theme
}

/** What one session's terminal shows, as it changes. */
export function SessionPage({ state, session, width, height, theme }: Props): ReactNode {
  const facts = state.sessions.find(({ id }) => id === session)
  const word = facts ? facts.state || 'closed' : ''
  const asked = state.attention.find(({ session_id }) => session_id === session)
  const room = height - 2 - (asked ? 1 : 0)
  return (
    <Box flexDirection="column" height={height}>
      <Text wrap="truncate">
        {'  '}
        <Text {...theme(toneOf(word))}>{word}</Text>
        <Text {...theme('quiet')}>
          {truncate(sanitizeLine(facts ? ` ${facts.template} · ${facts.title}` : ''), width - 20)}
        </Text>
      </Text>
      {asked && (
        <Text {...theme('warning')}>
          {truncate(`  ${sanitizeLine(asked.asks)} ${formatAnswers(asked)}`, width - 1)}
        </Text>
      )}
      <Text {...theme('quiet')}>{'─'.repeat(width)}</Text>
      <Text>
        {lastLines(state.screen, room)
          .map((line) => truncate(sanitizeLine(line), width))
          .join('\n')}
      </Text>
      {state.screen.length === 0 && <Text {...theme('quiet')}>{'  nothing on its screen yet'}</Text>}
    </Box>
  )
}

/** The end of a screen, without the empty rows below what was written. */
function lastLines(lines: readonly string[], most: number): readonly string[] {
  let end = lines.length
  while (end > 0 && (lines[end - 1] ?? '').trim() === '') end--
  return lines.slice(Math.max(0, end - most), end)
}
