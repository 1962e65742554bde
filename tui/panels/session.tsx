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

/** The screen of one session, as it changes. */
export function SessionPage({ state, session, width, height, theme }: Props): ReactNode {
  const details = state.sessions.find(({ id }) => id === session)
  const status = details ? details.state || 'closed' : ''
  const question = state.attention.find(({ session_id }) => session_id === session)
  const room = height - 2 - (question ? 1 : 0)
  return (
    <Box flexDirection="column" height={height}>
      <Text wrap="truncate">
        {'  '}
        <Text {...theme(toneOf(status))}>{status}</Text>
        <Text {...theme('quiet')}>
          {truncate(sanitizeLine(details ? ` ${details.template} · ${details.title}` : ''), width - 20)}
        </Text>
      </Text>
      {question && (
        <Text {...theme('warning')}>
          {truncate(`  ${sanitizeLine(question.asks)} ${formatAnswers(question)}`, width - 1)}
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

/** The last lines of a screen, without the empty ones at its end. */
function lastLines(lines: readonly string[], max: number): readonly string[] {
  let end = lines.length
  while (end > 0 && (lines[end - 1] ?? '').trim() === '') end--
  return lines.slice(Math.max(0, end - max), end)
}
