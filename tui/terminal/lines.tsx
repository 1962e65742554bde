import { Box, renderToString, Text } from 'ink'
import type { ReactNode } from 'react'

/** A piece of a line: the part of one panel, as wide as that. */
export interface Cell {
  readonly text: string
  readonly width: number
}

/** One line of the screen, from left to right. */
export type Line = readonly Cell[]

/** What is on a line, in one text: two lines with the same look the same. */
export const lineKey = (line: Line): string => line.map(({ text }) => text).join('\0')

/** Lays lines out with Ink; answers with the text of each. */
export function renderLines(lines: readonly Line[]): string[] {
  if (lines.length === 0) return []
  const columns = Math.max(1, ...lines.map((line) => line.reduce((sum, { width }) => sum + width, 0)))
  return renderToString(<Lines lines={lines} />, { columns }).split('\n')
}

function Lines({ lines }: { lines: readonly Line[] }): ReactNode {
  return (
    <Box flexDirection="column">
      {lines.map((cells, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is where it is
        <Box key={at} height={1}>
          {cells.map(({ text, width }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: so is a panel
            <Box key={place} width={width} flexShrink={0}>
              <Text wrap="truncate">{text}</Text>
            </Box>
          ))}
        </Box>
      ))}
    </Box>
  )
}
