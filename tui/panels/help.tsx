import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { padTo } from '../../src/client/text.ts'
import type { Theme } from '../parts/theme.ts'
import { commands } from '../state/commands.ts'
import { bindings } from '../state/keys.ts'

/** The keys and commands, from the same tables that the dashboard uses. */
export function HelpPage({ height, theme }: { height: number; theme: Theme }): ReactNode {
  const lines = [
    ...bindings.map(({ keys, help }) => `  ${padTo(keys.join(' '), 16)} ${help}`),
    '',
    ...commands.map(({ name, argument, help }) => `  ${padTo(`:${name} ${argument}`, 22)} ${help}`),
  ]
  const fits = lines.length <= height - 1
  return (
    <Box flexDirection="column" height={height}>
      <Text {...theme('strong')}> keys and commands</Text>
      {(fits ? lines : lines.filter((line) => line !== '')).slice(0, height - 1).map((line) => (
        <Text key={line} wrap="truncate">
          {line || ' '}
        </Text>
      ))}
    </Box>
  )
}
