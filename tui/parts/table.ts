import { countOf, padTo, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { Cell, Line, Location, Row, TablePage } from '../pages/page.ts'
import { type Area, headOf, tableWindow, textColumns } from '../state/layout.ts'
import { detailsOf } from '../state/navigation.ts'
import { hiddenRows, selectedIndex, shownRows } from '../state/selection.ts'
import { type State, type View, viewOf } from '../state/state.ts'
import { wrapLine } from '../state/text-lines.ts'
import { cellText, columnWidths, contentWidths } from './columns.ts'
import { detailLines } from './details.ts'
import { drawBlock, drawLine, type Span } from './span.ts'
import { drawLines } from './text-lines.ts'
import type { Theme } from './theme.ts'

/** A titled table that scrolls with its selection; control sequences in its text are shown, not sent. */
export function drawTable(state: State, page: TablePage, area: Area, isFocused: boolean, theme: Theme): string[] {
  const { location, width, height } = area
  const rows = shownRows(state, location)
  const { first, room, hasTitles } = tableWindow(state, area)
  const visible = rows.slice(first, first + room)
  const widths = columnWidths(page.columns, width - 3, contentWidths(page.columns, rows, visible, state.now))
  const title = `${isFocused ? '▸ ' : '  '}${titleOf(page, state, location, rows.length)}`
  const at = selectedIndex(state, location) - first
  const selected = isFocused ? at : -1
  const pointed = !isFocused && detailsOf(state) === location.page ? at : -1
  const lines = [
    ...drawLines(headOf(state, area), width, theme),
    drawLine([{ text: title, tone: isFocused ? 'strong' : 'quiet' }, ...staleSpans(state, location)], width, theme),
    ...(hasTitles ? [drawLine([{ text: columnTitles(page, widths), tone: 'quiet' }], width, theme)] : []),
    ...(rows.length === 0
      ? drawLines(wrapLine(emptyLine(page, state, location), textColumns(area)), width, theme)
      : []),
    ...visible.map((row, index) => {
      const spans = rowSpans(row, page, widths, state.now)
      return drawLine([{ text: index === pointed ? '▸ ' : '  ' }, ...spans], width, theme, index === selected)
    }),
  ]
  const left = { columns: width, lines: height - lines.length }
  const details = drawLines(detailLines(page.columns, widths, visible[selected], left, state.now), width, theme)
  const blank = drawBlock([], width, details.length === 0 ? 0 : left.lines - details.length)
  return drawBlock([...lines, ...blank, ...details], width, height)
}

/** The titles of the columns that are shown. */
function columnTitles({ columns }: TablePage, widths: readonly (number | undefined)[]): string {
  const titles = columns.map(({ title }, at) => padTo(truncate(title, widths[at] ?? 0), (widths[at] ?? -1) + 1))
  return `  ${titles.join('')}`
}

/** `work 47 of 252 · "paint" · newest · 5 hidden`. */
function titleOf(page: TablePage, state: State, location: Location, shown: number): string {
  const view = viewOf(state, location)
  if (view.loadedAt === undefined) return page.title
  const hidden = hiddenRows(state, location)
  return [
    `${page.title} ${shown}${totalOf(view, shown)}`,
    ...(view.filter === '' ? [] : [`"${sanitizeLine(view.filter)}"`]),
    ...(view.sort === undefined ? [] : [view.sort]),
    ...(view.missed === undefined ? [] : [`held, ${view.missed} new (F follows)`]),
    ...(hidden === 0 ? [] : [`${hidden} hidden (.)`]),
  ].join(' · ')
}

/** Why the rows that are shown are no newer. */
function staleSpans(state: State, location: Location): Span[] {
  const { error, rows } = viewOf(state, location)
  return error === undefined || rows.length === 0 ? [] : [{ text: ` · ${sanitizeLine(error)}`, tone: 'bad' }]
}

function totalOf({ total, hasMore }: View, shown: number): string {
  if (total !== undefined && total > shown) return ` of ${total}`
  return hasMore ? '+' : ''
}

/** Nothing is said to be empty before the server has answered. */
function emptyLine(page: TablePage, state: State, location: Location): Line {
  const { error, loadedAt, filter, hasMore } = viewOf(state, location)
  const hidden = hiddenRows(state, location)
  const tone = error === undefined ? 'quiet' : 'bad'
  const say = (text: string): Line => ({ text: ` ${text}`, tone })
  if (error !== undefined) return say(error)
  if (loadedAt === undefined) return say('reading …')
  const among = hasMore ? ' in what was read; G reads further' : ''
  if (filter !== '') return say(`nothing with this text${among}; esc clears the filter`)
  if (hidden > 0 && hasMore) return say(`nothing but bookkeeping${among}; . shows it`)
  return say(hidden > 0 ? `only ${countOf(hidden, 'row')} of bookkeeping; . shows them` : page.empty)
}

/** The cells of a row, each as wide as its column. */
function rowSpans(row: Row, page: TablePage, widths: readonly (number | undefined)[], now: number): Span[] {
  return page.columns.flatMap((column, at): Span[] => {
    const [width, cell] = [widths[at], row.cells[at]]
    if (width === undefined || cell === undefined) return []
    return markedSpans(cellText(cell, column, width, now), cell)
  })
}

/** A cell as it is drawn, with its marked parts. Marks of a text with hidden characters would be in the wrong places. */
function markedSpans(drawn: string, { text = '', tone, marks = [] }: Cell): Span[] {
  if (marks.length === 0 || sanitizeLine(text) !== text) return [{ text: `${drawn} `, tone }]
  const end = drawn.endsWith('…') ? drawn.length - 1 : Math.min(drawn.length, text.length)
  const ranges = marks.flatMap(([from = 0, to = 0]) => (from < end ? [[from, Math.min(to, end)] as const] : []))
  const spans = ranges.flatMap(([from, to], at): Span[] => [
    { text: drawn.slice(ranges[at - 1]?.[1] ?? 0, from), tone },
    { text: drawn.slice(from, to), tone, isInverse: true },
  ])
  return [...spans, { text: `${drawn.slice(ranges.at(-1)?.[1] ?? 0)} `, tone }]
}
