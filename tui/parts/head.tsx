import { Text } from 'ink'
import type { ReactNode } from 'react'
import { sanitizeLine, truncate } from '../../src/client/text.ts'
import type { Line } from '../pages/page.ts'
import type { Theme } from './theme.ts'

/** The lines that stay above a table or text. */
export function Head({ lines, width, theme }: { lines: readonly Line[]; width: number; theme: Theme }): ReactNode {
  return lines.map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its place
    <Text key={at} wrap="truncate" {...theme(line.tone ?? 'quiet')}>
      {` ${truncate(sanitizeLine(line.text), width - 2)}`}
    </Text>
  ))
}
