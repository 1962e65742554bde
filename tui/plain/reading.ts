import { type Line, type Location, pageOf, type Row, shownText, type TablePage } from '../../client/views/index.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import { shownCells, shownColumns } from '../state/custom.ts'
import { focused } from '../state/navigation.ts'
import { selectedIndex, selectedRow, shownRows } from '../state/selection.ts'
import { here, type State, viewOf } from '../state/state.ts'

/** A table is not read further than this; `next` continues. */
const MAX_ROWS = 20
/** So many of the last lines are read of a text that grows; of any other, so many of the first. */
const MAX_GROWING = 40
const MAX_LINES = 500

/** Current location of the user. */
export function placeText(state: State): string {
  const { city, subject } = here(state)
  return [pageOf(here(state)).title, subject, city && `city ${city}`].filter(Boolean).map(sanitizeLine).join(', ')
}

/** A table or text, read from its beginning. */
export function panelText(state: State, location: Location): string[] {
  const page = pageOf(location)
  const { head, lines } = viewOf(state, location)
  if (page.kind === 'text') return [...linesText(head), ...(page.follow ? lastText(lines) : wholeText(lines))]
  return page.kind === 'table' ? [...linesText(head), ...tableText(state, location, page)] : []
}

function tableText(state: State, location: Location, page: TablePage): string[] {
  const rows = shownRows(state, location)
  const { total, loadedAt, hasMore } = viewOf(state, location)
  if (loadedAt === undefined) return []
  if (rows.length === 0) return [`${page.title}: ${page.empty}.`]
  const selected = selectedIndex(state, location)
  const count =
    total !== undefined && total > rows.length
      ? `${rows.length} of ${total}`
      : `${rows.length}${hasMore ? ' and more' : ''}`
  const more = rows.length - MAX_ROWS
  return [
    `${page.title}: ${count}.`,
    ...rows.slice(0, MAX_ROWS).map((row, at) => `${at === selected ? 'Selected: ' : ''}${rowText(state, page, row)}`),
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
  return [`${place}, ${page.title}: ${rowText(state, page, row)}`]
}

/** Changes in a panel. */
export function panelChanges(before: State | undefined, state: State, location: Location): string[] {
  const old = before && viewOf(before, location)
  const view = viewOf(state, location)
  if (old === view) return []
  const failed = view.error !== undefined && view.error !== old?.error ? [sanitizeLine(view.error)] : []
  if (view.loadedAt === undefined) return failed
  if (old?.loadedAt === undefined) return [...failed, ...panelText(state, location)]
  const page = pageOf(location)
  if (page.kind === 'text') return [...failed, ...lastText(addedLines(old.lines, view.lines))]
  return page.kind === 'table' ? [...failed, ...changedRows(page, old.rows, view.rows)] : failed
}

const linesText = (lines: readonly Line[]): string[] =>
  lines.map(({ text, said = text }) => sanitizeLine(said)).filter((text) => text.trim() !== '')

const lastText = (lines: readonly Line[]): string[] => linesText(lines.slice(-MAX_GROWING))

function wholeText(lines: readonly Line[]): string[] {
  const more = lines.length - MAX_LINES
  return [...linesText(lines.slice(0, MAX_LINES)), ...(more > 0 ? [`and ${more} more lines`] : [])]
}

/** The cells of a row with the titles of their columns. */
function rowText(state: State, page: TablePage, row: Row): string {
  const [shown] = shownCells(state, page, [row])
  return shownColumns(state, page)
    .columns.flatMap(({ title }, at) => {
      const words = shownText(shown?.cells[at] ?? {}, state.now)
      return words === '' ? [] : [`${title} ${words}`]
    })
    .join(', ')
}

/** More changes than this are counted instead of said one by one. */
const MAX_SENTENCES = 10

/** Changed rows of a table, each as a sentence. Ages are left out: they change on their own. */
function changedRows(page: TablePage, before: readonly Row[], after: readonly Row[]): string[] {
  const old = new Map(before.map((row) => [row.id, row]))
  const kept = new Set(after.map(({ id }) => id))
  const sentences = [
    ...after.filter(({ isSystem }) => !isSystem).flatMap((row) => sentenceOf(page, old.get(row.id), row)),
    ...before
      .filter(({ id, isSystem }) => !kept.has(id) && !isSystem)
      .map((row) => `${nameOf(row)} is gone from ${page.title}.`),
  ]
  if (sentences.length <= MAX_SENTENCES) return sentences
  return [
    ...sentences.slice(0, MAX_SENTENCES),
    `And ${sentences.length - MAX_SENTENCES} more changes of ${page.title}; list reads them.`,
  ]
}

function sentenceOf(page: TablePage, old: Row | undefined, row: Row): string[] {
  const differing = page.columns.flatMap(({ title }, at) => {
    const text = sanitizeLine(row.cells[at]?.text ?? '')
    return text === '' || text === sanitizeLine(old?.cells[at]?.text ?? '') ? [] : [`${title} ${text}`]
  })
  if (!old) return [`New in ${page.title}: ${differing.join(', ')}.`]
  return differing.length === 0 ? [] : [`${nameOf(row)}: ${differing.join(', ')}.`]
}

const nameOf = ({ id }: Row): string => sanitizeLine(id)

/** The lines that came after those that were read; all of them where the text is another one. */
function addedLines(before: readonly Line[], after: readonly Line[]): readonly Line[] {
  const old = new Set(before.map(({ text }) => text))
  return after.filter(({ text }) => !old.has(text))
}
