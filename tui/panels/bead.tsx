import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { sanitizeLine } from '../../src/client/text.ts'
import { beadLines } from '../state/bead.ts'
import type { State } from '../state/state.ts'

/** One bead: as many of its lines as fit, from the one it is scrolled to. */
export function BeadPage({ state, width, height }: { state: State; width: number; height: number }): ReactNode {
  const lines = state.bead ? beadLines(state.bead).slice(state.scroll, state.scroll + height) : []
  return (
    <Box flexDirection="column" height={height} width={width} paddingX={2} overflow="hidden">
      <Text>{lines.map(sanitizeLine).join('\n')}</Text>
    </Box>
  )
}
