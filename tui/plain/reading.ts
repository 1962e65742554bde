import { formatAge, sanitizeLine } from '../../src/client/text.ts'
import type { Line, Location, Row, TablePage } from '../pages/page.ts'
import { pageOf } from '../pages/pages.ts'
import { focused } from '../state/navigation.ts'
import { selectedIndex, selectedRow, shownRows } from '../state/selection.ts'
import { here, type State, viewOf } from '../state/state.ts'
import { addedLines, changedRows } from './changes.ts'

/** A table is not read further than this; `next` goes on. */
const MAX_ROWS = 20
const MAX_LINES = 40

/** Where the person is. */
export function placeText(state: State): string {
  const { city, subject } = here(state)
  return [pageOf(here(state)).title, subject, city && `city ${city}`].filter(Boolean).map(sanitizeLine).join(', ')
}

/** A table or text, read from its beginning. */
export function panelText(state: State, location: Location): string[] {
  const page = pageOf(location)
  const { head, lines } = viewOf(state, location)
  if (page.kind === 'text') return [...linesText(head), ...linesText(lines)]
  return page.kind === 'table' ? [...linesText(head), ...tableText(state, location, page)] : []
}

function tableText(state: State, location: Location, page: TablePage): string[] {
  const rows = shownRows(state, location)
  const { total, loadedAt } = viewOf(state, location)
  if (loadedAt === undefined) return []
  if (rows.length === 0) return [`${page.title}: ${page.empty}.`]
  const selected = selectedIndex(state, location)
  const count = total !== undefined && total > rows.length ? `${rows.length} of ${total}` : rows.length
  const more = rows.length - MAX_ROWS
  return [
    `${page.title}: ${count}.`,
    ...rows
      .slice(0, MAX_ROWS)
      .map((row, at) => `${at === selected ? 'Selected: ' : ''}${rowText(page, row, state.now)}`),
    ...(more > 0 ? [`and ${more} more; next and previous move among them.`] : []),
  ]
}

/** The selected row, and which of how many it is. */
export function selectedText(state: State): string[] {
  const location = focused(state)
  const page = pageOf(location)
  const row = selectedRow(state, location)
  if (page.kind !== 'table' || !row) return []
  const place = `${selectedIndex(state, location) + 1} of ${shownRows(state, location).length}`
  return [`${place}, ${page.title}: ${rowText(page, row, state.now)}`]
}

/** What is other in a panel than it was. */
export function panelChanges(before: State | undefined, state: State, location: Location): string[] {
  const old = before && viewOf(before, location)
  const view = viewOf(state, location)
  if (old === view) return []
  const failed = view.error !== undefined && view.error !== old?.error ? [sanitizeLine(view.error)] : []
  if (view.loadedAt === undefined) return failed
  if (old?.loadedAt === undefined) return [...failed, ...panelText(state, location)]
  const page = pageOf(location)
  if (page.kind === 'text') return [...failed, ...linesText(addedLines(old.lines, view.lines))]
  return page.kind === 'table' ? [...failed, ...changedRows(page, old.rows, view.rows)] : failed
}

const linesText = (lines: readonly Line[]): string[] =>
  lines
    .slice(-MAX_LINES)
    .map(({ text }) => sanitizeLine(text))
    .filter((text) => text.trim() !== '')

/** The cells of a row with the titles of their columns. */
const rowText = ({ columns }: TablePage, { cells }: Row, now: number): string =>
  columns
    .flatMap(({ title }, at) => {
      const { text = '', since } = cells[at] ?? {}
      const shown = since === undefined ? sanitizeLine(text) : formatAge(since, now)
      return shown === '' ? [] : [`${title} ${shown}`]
    })
    .join(', ')
