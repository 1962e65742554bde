import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { countOf, padTo, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { Location, Row, TablePage } from '../pages/page.ts'
import { hiddenRows, selectedIndex, shownRows } from '../state/selection.ts'
import { here, type State, viewOf } from '../state/state.ts'
import { cellText, columnWidths } from './columns.ts'
import { Head } from './head.tsx'
import type { Theme } from './theme.ts'

export interface PanelProps {
  readonly state: State
  readonly location: Location
  readonly isFocused: boolean
  readonly width: number
  readonly height: number
  readonly theme: Theme
}

/** A titled table that scrolls with its selection; control sequences in its text are shown, not sent. */
export function Table({ page, ...props }: PanelProps & { page: TablePage }): ReactNode {
  const { state, location, isFocused, width, height, theme } = props
  const rows = shownRows(state, location)
  const selected = selectedIndex(state, location)
  const { head } = viewOf(state, location)
  const hasTitles = here(state).page === location.page && rows.length > 0
  const room = Math.max(1, height - 1 - head.length - (hasTitles ? 1 : 0))
  const first = Math.max(0, Math.min(selected - Math.floor(room / 2), rows.length - room))
  const widths = columnWidths(page.columns, width - 3)
  return (
    <Box flexDirection="column" height={height} width={width}>
      <Head lines={head} width={width} theme={theme} />
      <Text {...theme(isFocused ? 'strong' : 'quiet')}>
        {truncate(`${isFocused ? '▸ ' : '  '}${titleOf(page, state, location, rows.length)}`, width - 1)}
      </Text>
      {hasTitles && <Titles {...{ page, widths, theme }} />}
      {rows.length === 0 && <Empty {...{ page, state, location, width, theme }} />}
      {rows.slice(first, first + room).map((row, index) => (
        <TableRow
          key={row.id}
          {...{ row, page, widths, theme, now: state.now }}
          isSelected={isFocused && first + index === selected}
        />
      ))}
    </Box>
  )
}

/** The titles of the columns that are shown. */
function Titles({
  page,
  widths,
  theme,
}: {
  page: TablePage
  widths: TableRowProps['widths']
  theme: Theme
}): ReactNode {
  const titles = page.columns.map(({ title }, at) => padTo(truncate(title, widths[at] ?? 0), (widths[at] ?? -1) + 1))
  return <Text {...theme('quiet')} wrap="truncate">{`  ${titles.join('')}`}</Text>
}

/** `work 47 of 252 · "paint" · newest · 5 hidden`. */
function titleOf(page: TablePage, state: State, location: Location, shown: number): string {
  const view = viewOf(state, location)
  if (view.loadedAt === undefined) return page.title
  const total = view.total !== undefined && view.total > shown ? ` of ${view.total}` : view.hasMore ? '+' : ''
  const hidden = hiddenRows(state, location)
  return [
    `${page.title} ${shown}${total}`,
    ...(view.filter === '' ? [] : [`"${sanitizeLine(view.filter)}"`]),
    ...(view.sort === undefined ? [] : [view.sort]),
    ...(hidden === 0 ? [] : [`${hidden} hidden (.)`]),
  ].join(' · ')
}

/** Nothing is said to be empty before the server has answered. */
function Empty({
  page,
  state,
  location,
  width,
  theme,
}: Omit<PanelProps, 'isFocused' | 'height'> & { page: TablePage }) {
  const view = viewOf(state, location)
  const hidden = hiddenRows(state, location)
  const text =
    view.error ??
    (view.loadedAt === undefined
      ? 'reading …'
      : view.filter !== ''
        ? 'nothing with this text; esc clears the filter'
        : hidden > 0
          ? `only ${countOf(hidden, 'row')} of bookkeeping; . shows them`
          : page.empty)
  return <Text {...theme(view.error ? 'bad' : 'quiet')}>{truncate(`  ${sanitizeLine(text)}`, width - 1)}</Text>
}

interface TableRowProps {
  readonly row: Row
  readonly page: TablePage
  readonly widths: readonly (number | undefined)[]
  readonly isSelected: boolean
  readonly now: number
  readonly theme: Theme
}

function TableRow({ row, page, widths, isSelected, now, theme }: TableRowProps): ReactNode {
  return (
    <Text inverse={isSelected} wrap="truncate">
      {'  '}
      {page.columns.map((column, at) => {
        const [width, cell] = [widths[at], row.cells[at]]
        if (width === undefined || cell === undefined) return null
        return (
          <Text key={column.title} {...theme(cell.tone ?? 'plain')}>
            {`${cellText(cell, column, width, now)} `}
          </Text>
        )
      })}
    </Text>
  )
}
