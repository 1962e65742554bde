import type { Location } from '../pages/page.ts'
import { pageOf } from '../pages/pages.ts'
import { shownRows, updateView } from './selection.ts'
import { CITIES, here, type State, viewOf } from './state.ts'

/** The tables and texts that are visible: those of an overview, or the page itself. */
export function panelsOf(state: State): readonly Location[] {
  const location = here(state)
  const page = pageOf(location)
  if (page.kind !== 'overview') return [location]
  return page.bands
    .filter((band) => !band.hidesWhenEmpty || band.panels.some((name) => hasRows(state, panelAt(location, name))))
    .flatMap(({ panels }) => panels.map((name) => panelAt(location, name)))
}

/** The table of an overview. */
export const panelAt = ({ city }: Location, page: string): Location => ({ page, city, subject: '' })

const hasRows = (state: State, location: Location): boolean => shownRows(state, location).length > 0

/** What is read for a location, whether or not it is visible now. */
export function locationsRead(location: Location): readonly Location[] {
  const page = pageOf(location)
  if (page.kind !== 'overview') return [location]
  return page.bands.flatMap(({ panels }) => panels.map((name) => panelAt(location, name)))
}

/** The table or text that has the keys. */
export function focused(state: State): Location {
  const panels = panelsOf(state)
  return panels.find(({ page }) => page === state.focus) ?? panels.at(-1) ?? here(state)
}

/** Gives the keys to the next panel, or the one before. */
export function moveFocus(state: State, by: number): State {
  const panels = panelsOf(state)
  const at = panels.indexOf(panels.find(({ page }) => page === focused(state).page) ?? here(state))
  return { ...state, focus: panels[(at + by + panels.length) % panels.length]?.page ?? state.focus }
}

/** Opens a page; one that is on the way already is gone back to. */
export function open(state: State, location: Location): State {
  const same = (other: Location) => JSON.stringify(other) === JSON.stringify(location)
  const at = state.path.findIndex(same)
  const path = at >= 0 ? state.path.slice(0, at + 1) : [...state.path, location]
  const isOtherCity = location.city !== here(state).city
  const next: State = { ...state, path, notice: undefined }
  return isOtherCity ? { ...next, connection: { live: false, since: state.now } } : next
}

/** Leaves the filter first, then the page. */
export function goBack(state: State): State {
  const location = focused(state)
  if (viewOf(state, location).filter !== '') return updateView(state, location, { filter: '' })
  if (state.path.length < 2) return state
  const path = state.path.slice(0, -1)
  const left = here(state)
  const next: State = { ...state, path }
  return (path.at(-1) ?? CITIES).city === left.city ? next : { ...next, connection: { live: false, since: state.now } }
}
