import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { sanitizeLine, truncate } from '../../src/client/text.ts'
import type { Line, TextPage } from '../pages/page.ts'
import { type View, viewOf } from '../state/state.ts'
import { Head } from './head.tsx'
import type { PanelProps } from './table.tsx'

/** A text, from the line it is scrolled to; one that is followed shows its end. */
export function TextPanel({ page, state, location, width, height, theme }: PanelProps & { page: TextPage }): ReactNode {
  const view = viewOf(state, location)
  const room = Math.max(1, height - view.head.length)
  const lines = visibleLines(view, page, room)
  const waiting = view.error ?? (view.loadedAt === undefined ? 'reading …' : 'nothing yet')
  return (
    <Box flexDirection="column" height={height} width={width} overflow="hidden">
      <Head lines={view.head} width={width} theme={theme} />
      {view.lines.length === 0 && (
        <Text {...theme(view.error ? 'bad' : 'quiet')}>{truncate(`  ${sanitizeLine(waiting)}`, width - 1)}</Text>
      )}
      {lines.map(({ line, number }) => (
        <Text key={number} wrap="truncate" {...theme(line.tone ?? 'plain')}>
          {` ${truncate(sanitizeLine(line.text), width - 2)}` || ' '}
        </Text>
      ))}
    </Box>
  )
}

function visibleLines(
  { lines, scroll, filter }: View,
  page: TextPage,
  height: number,
): { line: Line; number: number }[] {
  const numbered = lines.map((line, number) => ({ line, number }))
  const needle = filter.toLowerCase()
  const found = needle === '' ? numbered : numbered.filter(({ line }) => line.text.toLowerCase().includes(needle))
  const end = Math.max(0, found.length - height)
  const first = Math.min(scroll ?? (page.follow ? end : 0), Math.max(0, found.length - 1))
  return found.slice(first, first + height)
}
