import type { Cell, Column, Row, TablePage } from '../../client/views/index.ts'
import type { State } from './state.ts'

interface Chosen {
  readonly columns: readonly Column[]
  /** Where each of them is among those of the page. */
  readonly places: readonly number[]
}

const known = new WeakMap<TablePage, { readonly titles: readonly string[] | undefined; readonly chosen: Chosen }>()

/** The columns of a list: those of `tui.toml`, else all but those that are only shown when somebody asks for them. */
export function shownColumns(state: State, page: TablePage): Chosen {
  const titles = state.custom.get(page.name)?.columns
  const before = known.get(page)
  if (before && before.titles === titles) return before.chosen
  const places = titles
    ? titles.map((title) => page.columns.findIndex((column) => column.title === title)).filter((place) => place >= 0)
    : page.columns.flatMap(({ isExtra }, place) => (isExtra ? [] : [place]))
  const chosen = { places, columns: places.flatMap((place) => page.columns[place] ?? []) }
  known.set(page, { titles, chosen })
  return chosen
}

const projected = new WeakMap<Row, { readonly places: readonly number[]; readonly row: Row }>()

/** Rows with a cell for each of those columns; a row that is the same gives the same. */
export function shownCells(state: State, page: TablePage, rows: readonly Row[]): readonly Row[] {
  const { places } = shownColumns(state, page)
  if (places.length === page.columns.length && places.every((place, at) => place === at)) return rows
  return rows.map((row) => {
    const before = projected.get(row)
    if (before?.places === places) return before.row
    const shown: Row = { ...row, cells: places.map((place): Cell => row.cells[place] ?? {}) }
    projected.set(row, { places, row: shown })
    return shown
  })
}

const SAVED = '@'

/** What a typed filter stands for: `@mine` for the one that is saved as mine. */
export const meantFilter = (state: State, page: string, typed: string): string =>
  typed.startsWith(SAVED) ? (filtersOf(state, page).get(typed.slice(SAVED.length).trim()) ?? typed) : typed

/** Whether a filter that is being typed may yet become the name of a saved one. */
export const isNaming = (state: State, page: string, typed: string): boolean =>
  typed.startsWith(SAVED) && [...filtersOf(state, page).keys()].some((name) => (SAVED + name).startsWith(typed))

export const filtersOf = (state: State, page: string): ReadonlyMap<string, string> =>
  state.custom.get(page)?.filters ?? new Map()

/** How the saved filters of a page are typed. */
export const savedFilters = (state: State, page: string): string[] =>
  [...filtersOf(state, page).keys()].map((name) => SAVED + name)
