import { type Jump, type Location, matchesFilter, pageOf, type Row, type TablePage } from '../../client/views/index.ts'
import type { Effect } from './effects.ts'
import { type State, type View, viewKey, viewOf } from './state.ts'

/** The rows of a table that are shown: those with the text of the filter, without bookkeeping. */
export function shownRows(state: State, location: Location): readonly Row[] {
  const page = pageOf(location)
  if (page.kind !== 'table') return []
  return filterRows(viewOf(state, location), page, state.showsSystem).rows
}

interface Filtered {
  readonly showsSystem: boolean
  readonly needle: string
  readonly rows: readonly Row[]
  /** Number of of them that are bookkeeping. */
  readonly hidden: number
}

const filtered = new WeakMap<readonly Row[], Filtered>()

/** Computed once for rows that were read, since every key and every frame needs it. */
function filterRows({ rows: all, filter }: View, page: TablePage, showsSystem: boolean): Filtered {
  const needle = page.isSearched ? '' : filter
  const known = filtered.get(all)
  if (known?.showsSystem === showsSystem && known.needle === needle) return known
  const matches = (row: Row) => (showsSystem || !row.isSystem) && (needle === '' || matchesFilter(textOf(row), needle))
  const hidden = showsSystem ? 0 : all.filter(({ isSystem }) => isSystem).length
  const found = { showsSystem, needle, rows: all.filter(matches), hidden }
  filtered.set(all, found)
  return found
}

const textOf = ({ id, cells }: Row): string => `${id} ${cells.map(({ text = '' }) => text).join(' ')}`

/** Number of rows that are hidden as bookkeeping. */
export function hiddenRows(state: State, location: Location): number {
  const page = pageOf(location)
  return page.kind === 'table' ? filterRows(viewOf(state, location), page, state.showsSystem).hidden : 0
}

/** Index of the selected row among the shown ones. */
export function selectedIndex(state: State, location: Location): number {
  const { selected, under, index } = viewOf(state, location)
  const rows = shownRows(state, location)
  const nearby = Math.max(0, Math.min(index, rows.length - 1))
  const followed = selected ?? under
  if (followed === undefined || rows[nearby]?.id === followed) return nearby
  const found = rows.findIndex(({ id }) => id === followed)
  return found === -1 ? nearby : found
}

/** The selected row. */
export const selectedRow = (state: State, location: Location): Row | undefined =>
  shownRows(state, location)[selectedIndex(state, location)]

/** Selects the row that is so many further down; the rows at the ends hold it. */
export function moveSelection(state: State, location: Location, by: number): State {
  const rows = shownRows(state, location)
  const index = Math.max(0, Math.min(rows.length - 1, selectedIndex(state, location) + by))
  return updateView(state, location, { selected: rows[index]?.id, index })
}

/** Selects the next row with a mark, or the one before; undefined when there is none. */
export function jumpSelection(state: State, location: Location, { by, mark }: Jump): State | undefined {
  const rows = shownRows(state, location)
  for (let at = selectedIndex(state, location) + by; at >= 0 && at < rows.length; at += by) {
    const row = rows[at]
    if (row && (mark === undefined || row.mark === mark)) {
      return updateView(state, location, { selected: row.id, index: at })
    }
  }
  return undefined
}

/** Rows are asked for before the selection reaches the last that was read. */
const ROWS_AHEAD = 30

/** Asks for the next rows when the selection comes near the last of those that were read. */
export function moreOf(state: State, location: Location): Effect | undefined {
  const isNear = selectedIndex(state, location) + ROWS_AHEAD >= shownRows(state, location).length
  return viewOf(state, location).hasMore && isNear ? { type: 'more', location } : undefined
}

/** So many rows are read at most for those with the text of a filter, or for those that are not bookkeeping. */
const MAX_LOOKED_THROUGH = 5_000

/** Reads on while what was read leaves the screen half empty, because a filter or the bookkeeping takes rows away. */
export function lookFurther(state: State, location: Location): Effect | undefined {
  const { rows, hasMore } = viewOf(state, location)
  const shown = shownRows(state, location).length
  const isEnough = shown === rows.length || shown >= state.height || rows.length >= MAX_LOOKED_THROUGH
  return hasMore && !isEnough ? { type: 'more', location } : undefined
}

/**
 * Holds on to the row under the cursor while the rows change around it, whether or not anyone chose it: a key hits what the
 * person looks at. Where events come in front, it stays on the first until one was chosen.
 */
export function keepSelection(state: State, location: Location): State {
  const page = pageOf(location)
  const isChosen = viewOf(state, location).selected !== undefined
  if (!isChosen && page.kind === 'table' && page.rowOf) return state
  const index = selectedIndex(state, location)
  const id = shownRows(state, location)[index]?.id
  return updateView(state, location, { index, ...(isChosen ? { selected: id } : { under: id }) })
}

export function updateView(state: State, location: Location, change: Partial<View>): State {
  const view = { ...viewOf(state, location), ...change }
  return { ...state, views: { ...state.views, [viewKey(location)]: view } }
}
