import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { padTo, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { Theme, Tone } from './theme.ts'

export interface Cell {
  text: string
  width: number
  tone?: Tone
}

interface ListProps<Row> {
  title: string
  rows: readonly Row[]
  selected: number
  focused: boolean
  height: number
  width: number
  theme: Theme
  empty: string
  keyOf(row: Row): string
  cells(row: Row, width: number): readonly Cell[]
}

/** A titled list that scrolls with its selection; control sequences in its text are dropped. */
export function List<Row>(props: ListProps<Row>): ReactNode {
  const { rows, selected, focused, height, width, theme } = props
  const room = Math.max(1, height - 1)
  const first = Math.max(0, Math.min(selected - Math.floor(room / 2), rows.length - room))
  const visible = rows.slice(first, first + room)
  const count = rows.length > room ? ` ${selected + 1}/${rows.length}` : ` ${rows.length}`
  return (
    <Box flexDirection="column" height={height} width={width}>
      <Text {...theme(focused ? 'strong' : 'quiet')}>
        {truncate(`${focused ? '▸ ' : '  '}${props.title}${count}`, width - 1)}
      </Text>
      {rows.length === 0 && <Text {...theme('quiet')}>{truncate(`  ${props.empty}`, width - 1)}</Text>}
      {visible.map((row, index) => (
        <Line
          key={props.keyOf(row)}
          cells={props.cells(row, width - 3)}
          inverse={focused && first + index === selected}
          theme={theme}
        />
      ))}
    </Box>
  )
}

function Line({ cells, inverse, theme }: { cells: readonly Cell[]; inverse: boolean; theme: Theme }): ReactNode {
  const last = cells.length - 1
  return (
    <Text inverse={inverse} wrap="truncate">
      {'  '}
      {cells.map(({ text, width, tone }, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a cell has no identity but its column
        <Text key={column} {...theme(tone ?? 'plain')}>
          {padTo(truncate(sanitizeLine(text), width), width)}
          {column === last ? '' : ' '}
        </Text>
      ))}
    </Text>
  )
}
