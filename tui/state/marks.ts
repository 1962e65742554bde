import { type Location, pageOf, type Row } from '../../client/views/index.ts'
import { countOf } from '../../src/client/text.ts'
import { notice } from './actions.ts'
import type { Effect, Step } from './effects.ts'
import { focused } from './navigation.ts'
import { moveSelection, selectedIndex, shownRows, updateView } from './selection.ts'
import { type State, viewOf } from './state.ts'

/** So many rows are marked at most. */
const MAX_MARKED = 5_000

const NOT_HERE = 'only rows of a list can be marked'

/** Marks the selected row, or unmarks it, and selects the next. */
export function markRow(state: State): Step {
  const location = focused(state)
  const row = shownRows(state, location)[selectedIndex(state, location)]
  if (!row) return [notice(state, NOT_HERE, false)]
  const marks = new Map(viewOf(state, location).marks)
  if (!marks.delete(row.id)) marks.set(row.id, row)
  const next = updateView(state, location, { marks, lastMark: row.id, marksAll: false })
  return [said(moveSelection(next, location, 1), location)]
}

/** Marks the rows from the one that was marked last to the selected one. */
export function markTo(state: State): Step {
  const location = focused(state)
  const rows = shownRows(state, location)
  const at = selectedIndex(state, location)
  const { marks, lastMark } = viewOf(state, location)
  const from = rows.findIndex(({ id }) => id === lastMark)
  if (marks.size === 0 || from < 0) return markRow(state)
  const between = rows.slice(Math.min(from, at), Math.max(from, at) + 1)
  const next = updateView(state, location, { marks: withRows(marks, between), lastMark: rows[at]?.id })
  return [said(next, location)]
}

/** Marks every row that the filter leaves, those that are still to be read as well; or unmarks all when they are marked. */
export function markAll(state: State): Step {
  const location = focused(state)
  if (pageOf(location).kind !== 'table') return [notice(state, NOT_HERE, false)]
  const { marks, hasMore, isSearching } = viewOf(state, location)
  const rows = shownRows(state, location)
  if (isSearching) return [notice(state, 'the rows are still being searched; press it again', false)]
  if (rows.length === 0) return [notice(state, 'there is no row to mark', false)]
  if (rows.every(({ id }) => marks.has(id))) return [unmarked(state, location)]
  const next = updateView(state, location, { marks: withRows(marks, rows), marksAll: hasMore })
  return hasMore
    ? [notice(next, 'reading all rows to mark them …', false), { type: 'more', location }]
    : [said(next, location)]
}

const withRows = (marks: ReadonlyMap<string, Row>, rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map([...marks, ...rows.map((row) => [row.id, row] as const)].slice(0, MAX_MARKED))

/** No row is marked any more. */
export const unmarked = (state: State, location: Location): State =>
  updateView(state, location, { marks: new Map(), lastMark: undefined, marksAll: false })

/** Keeps the marks of rows that were read again; with all rows marked, it also marks new ones. */
export function keepMarks(state: State, location: Location): readonly [State, Effect?] {
  const { marks, rows, marksAll, hasMore } = viewOf(state, location)
  if (marks.size === 0) return [state]
  const now = new Map(rows.map((row) => [row.id, row]))
  const kept = new Map([...marks].map(([id, row]) => [id, now.get(id) ?? row]))
  const all = marksAll ? withRows(kept, shownRows(state, location)) : kept
  const goesOn = marksAll && hasMore && all.size < MAX_MARKED && rows.length < MAX_MARKED
  const next = updateView(state, location, { marks: all, marksAll: goesOn })
  if (goesOn) return [next, { type: 'more', location }]
  return [marksAll ? said(next, location) : next]
}

/** After something was done to all that were marked, only those stay marked to which it was not done. */
export function keepMarked(state: State, location: Location, left: readonly string[]): State {
  const { marks } = viewOf(state, location)
  return updateView(state, location, {
    marks: new Map([...marks].filter(([id]) => left.includes(id))),
    lastMark: undefined,
  })
}

/** Shows how many rows are marked, including those that a filter hides. */
function said(state: State, location: Location): State {
  const { marks, hasMore } = viewOf(state, location)
  const most = marks.size === MAX_MARKED && hasMore ? '; no more can be' : ''
  const text = marks.size === 0 ? 'no row is marked' : `${countOf(marks.size, 'row')} marked${most}; esc unmarks`
  return notice(state, text, false)
}
