import { Box, Text } from 'ink'
import { memo, type ReactNode } from 'react'
import {
  type Cell,
  type Column,
  type Line,
  type Location,
  progressBar,
  type Row,
  shownText,
  type TablePage,
} from '../../client/views/index.ts'
import { countOf, displayWidth, padTo, sanitizeLine, truncate } from '../../src/client/text.ts'
import { shownCells, shownColumns } from '../state/custom.ts'
import { type Area, contentOf, headOf, tableWindow, textColumns } from '../state/layout.ts'
import { detailsOf } from '../state/navigation.ts'
import { hiddenRows, selectedIndex, shownRows } from '../state/selection.ts'
import { type State, type View, viewOf } from '../state/state.ts'
import { wrapLine } from '../state/text-lines.ts'
import { cellText, columnWidths, contentWidths, GUTTER, PROGRESS } from './columns.ts'
import { detailLines } from './details.ts'
import { useLook } from './look.ts'
import { Panel } from './panel.tsx'
import { markedSpans, type Span, selectedLine, styled, widthOf } from './styled.ts'
import { TextLines } from './text.tsx'
import type { Theme } from './theme.ts'

interface TablePanelProps {
  readonly state: State
  readonly page: TablePage
  readonly area: Area
  readonly isFocused: boolean
  /** True if the selected row is shown whole elsewhere. */
  readonly hasPreview: boolean
}

/** A titled table that scrolls with its selection; control sequences in its text are shown, not sent. */
export function TablePanel({ state, page, area, isFocused, hasPreview }: TablePanelProps): ReactNode {
  const { icons, theme } = useLook()
  const { location } = area
  const { columns: width, lines: height } = contentOf(area)
  const { marks } = viewOf(state, location)
  const { columns, places } = shownColumns(state, page)
  const rows = shownRows(state, location)
  const { first, room, top, hasTitles } = tableWindow(state, area)
  const inSight = rows.slice(first, first + room)
  const visible = shownCells(state, page, inSight)
  const wanted = contentWidths(page.columns, rows, inSight, state.now)
  const widths = columnWidths(
    columns,
    width - GUTTER,
    places.map((place) => wanted[place] ?? 0),
  )
  const at = selectedIndex(state, location) - first
  const isPointed = isFocused || detailsOf(state) === location.page
  const left = { columns: width, lines: height - top - visible.length }
  const details = isFocused && !hasPreview ? detailLines(columns, widths, visible[at], left, state.now) : []
  const above = [...headOf(state, area), ...(rows.length === 0 ? emptyLines(page, state, area) : [])]
  const head = above.slice(0, Math.max(0, height - (hasTitles ? 1 : 0) - visible.length))
  return (
    <Panel {...{ area, isFocused }} title={titleSpans(page, state, location, isFocused, icons.pointer)}>
      <TextLines lines={head} />
      {hasTitles && <Text wrap="truncate">{styled([{ text: titlesOf(columns, widths), tone: 'quiet' }], theme)}</Text>}
      {visible.map((row, index) => (
        <TableRow
          key={row.id}
          {...{ row, width }}
          columns={columns}
          layout={widths.join()}
          times={timesOf(row, state.now)}
          pointer={index === at && isPointed ? icons.pointer : ' '}
          mark={marks.has(row.id) ? icons.mark : ' '}
          isSelected={index === at && isFocused}
        />
      ))}
      {details.length > 0 && (
        <Box flexGrow={1} flexDirection="column" justifyContent="flex-end">
          <TextLines lines={details} />
        </Box>
      )}
    </Panel>
  )
}

interface TableRowProps {
  readonly row: Row
  readonly columns: readonly Column[]
  /** The width of each column, with commas between; nothing for those that are left out. */
  readonly layout: string
  /** Current texts of cells with a time. */
  readonly times: string
  readonly pointer: string
  readonly mark: string
  readonly isSelected: boolean
  readonly width: number
}

/** A row, which is drawn again only when something of it changes. */
const TableRow = memo(function TableRow(props: TableRowProps): ReactNode {
  const { theme, icons } = useLook()
  const spans: Span[] = [
    { text: props.pointer },
    { text: props.mark, tone: 'busy' },
    ...cellSpans(props, icons.progress, theme),
  ]
  const line = props.isSelected ? selectedLine(spans, props.width, theme) : styled(spans, theme)
  return <Text wrap="truncate">{line}</Text>
})

/** The cells of a row, each as wide as its column. */
function cellSpans({ row, columns, layout, times }: TableRowProps, progress: string, theme: Theme): Span[] {
  const widths = layout.split(',').map(Number)
  const shownTimes = times.split('\0')
  const last = widths.findLastIndex((width) => width > 0)
  return columns.flatMap((column, at): Span[] => {
    const [width = 0, cell] = [widths[at], row.cells[at]]
    if (width === 0 || cell === undefined) return []
    const shown = isTime(cell) ? (shownTimes[at] ?? '') : sanitizeLine(cell.text ?? '')
    const bar = barSpans(cell, displayWidth(shown), width, progress)
    const text = cellText(shown, column, width - widthOf(bar))
    const drawn = at === last && !cell.syntax ? text.trimEnd() : text
    return [...bar, ...markedSpans(drawn, cell, theme), ...(at === last ? [] : [GAP])]
  })
}

/** Progress bar, if there is room beside the cell's text. */
function barSpans({ part, tone }: Cell, used: number, width: number, signs: string): Span[] {
  if (part === undefined || used + PROGRESS + 1 > width) return []
  return [{ text: `${progressBar(part, PROGRESS, signs)} `, tone: tone ?? (part >= 1 ? 'good' : 'busy') }]
}

/** Gap between cells. */
const GAP: Span = { text: ' ' }

const isTime = ({ since, at }: Cell): boolean => since !== undefined || at !== undefined

const timesOf = ({ cells }: Row, now: number): string =>
  cells.map((cell) => (isTime(cell) ? shownText(cell, now) : '')).join('\0')

/** The titles of the columns that are shown. */
function titlesOf(columns: readonly Column[], widths: readonly (number | undefined)[]): string {
  const titles = columns.map(({ title }, at) => padTo(truncate(title, widths[at] ?? 0), (widths[at] ?? -1) + 1))
  return `${' '.repeat(GUTTER)}${titles.join('').trimEnd()}`
}

/** `▸ work 47 of 252 · "paint" · newest · 5 hidden`, and why the rows are no newer. */
function titleSpans(page: TablePage, state: State, location: Location, isFocused: boolean, pointer: string): Span[] {
  const view = viewOf(state, location)
  const name = { text: `${isFocused ? `${pointer} ` : ''}${page.title}`, tone: isFocused ? 'strong' : 'plain' } as const
  if (view.loadedAt === undefined) return [name]
  const shown = shownRows(state, location).length
  const hidden = hiddenRows(state, location)
  const facts = [
    ...(view.filter === '' ? [] : [`"${sanitizeLine(view.filter)}"`]),
    ...(view.sort === undefined ? [] : [view.sort]),
    ...(view.marks.size === 0 ? [] : [`${view.marks.size} marked`]),
    ...(view.missed === undefined ? [] : [`held, ${view.missed} new (F follows)`]),
    ...(hidden === 0 ? [] : [`${hidden} hidden (.)`]),
  ]
  const stale = view.error !== undefined && shown > 0 ? ` · ${sanitizeLine(view.error)}` : ''
  return [
    name,
    { text: ` ${shown}${totalOf(view, shown)}`, tone: isFocused ? 'busy' : 'quiet' },
    { text: facts.map((fact) => ` · ${fact}`).join(''), tone: 'quiet' },
    { text: stale, tone: 'bad' },
  ]
}

function totalOf({ total, hasMore }: View, shown: number): string {
  if (total !== undefined && total > shown) return ` of ${total}`
  return hasMore ? '+' : ''
}

/** Nothing is said to be empty before the server has answered. */
function emptyLines(page: TablePage, state: State, area: Area): readonly Line[] {
  const { error, loadedAt, filter, hasMore } = viewOf(state, area.location)
  const hidden = hiddenRows(state, area.location)
  const tone = error === undefined ? 'quiet' : 'bad'
  const say = (text: string): readonly Line[] => wrapLine({ text, tone }, textColumns(area))
  if (error !== undefined) return say(error)
  if (loadedAt === undefined) return say('reading …')
  const among = hasMore ? ' in the loaded rows; G loads more' : ''
  if (filter !== '') return say(`nothing with this text${among}; esc clears the filter`)
  if (hidden > 0 && hasMore) return say(`nothing but bookkeeping${among}; . shows it`)
  return say(hidden > 0 ? `only ${countOf(hidden, 'row')} of bookkeeping; . shows them` : page.empty)
}
