import {
  type Band,
  type Location,
  type OverviewPage,
  type PanelColumn,
  PREVIEW,
  pageOf,
} from '../../client/views/index.ts'
import { selectedRow, shownRows, updateView } from './selection.ts'
import { CITIES, here, type State, type Tab, type View, viewOf } from './state.ts'

/** Layouts by size: a list, a list and details, or also an activity panel. */
export type Size = 'narrow' | 'medium' | 'wide'

const MEDIUM = 110
const WIDE = 170

/** Layout for a size; read line by line, everything fits. */
export const sizeOf = ({ width, isScreenReader }: Pick<State, 'width' | 'isScreenReader'>): Size =>
  isScreenReader || width >= WIDE ? 'wide' : width >= MEDIUM ? 'medium' : 'narrow'

/** The columns of an overview on a screen of this size. */
export function columnsOf(page: OverviewPage, size: Size): readonly PanelColumn[] {
  const narrow = [{ share: 1, bands: page.bands }]
  return size === 'narrow' ? narrow : (page.columns?.[size] ?? narrow)
}

const known = new WeakMap<State, readonly Location[]>()

/** The tables and texts that are visible and can have the keys: those of an overview, or the page itself. */
export function panelsOf(state: State): readonly Location[] {
  const panels = known.get(state) ?? findPanels(state)
  known.set(state, panels)
  return panels
}

function findPanels(state: State): readonly Location[] {
  const location = here(state)
  const page = pageOf(location)
  if (page.kind !== 'overview') return [location]
  return columnsOf(page, sizeOf(state))
    .flatMap(({ bands }) => bands.filter((band) => isShown(state, band)))
    .flatMap(({ panels }) => panels.filter((name) => name !== PREVIEW).map((name) => panelIn(state, name)))
}

/** True if a band takes room. */
export const isShown = (state: State, { hidesWhenEmpty, panels }: Band): boolean =>
  !hidesWhenEmpty || panels.some((name) => hasRows(state, panelAt(here(state), name)))

/** Preview of the selected row, if it is a text that fits beside the list. */
export function previewOf(state: State): Location | undefined {
  const opens = selectedRow(state, focused(state))?.opens
  return opens !== undefined && pageOf(opens).kind === 'text' ? opens : undefined
}

/** A panel of the page that is shown; one with details begins at the selected row of another. */
export function panelIn(state: State, name: string): Location {
  const location = here(state)
  const page = pageOf(location)
  const panel = panelAt(location, name)
  if (page.kind !== 'overview' || page.detail?.panel !== name) return panel
  return { ...panel, at: { entry: selectedRow(state, panelAt(location, page.detail.of))?.id, text: '' } }
}

/** A panel of an overview: about the same thing as that, if about any. */
export const panelAt = ({ city, subject }: Location, page: string): Location => ({ page, city, subject })

/** Attention items of a city. */
export const attentionOf = (city: string): Location => ({ page: 'attention', city, subject: '' })

const hasRows = (state: State, location: Location): boolean => shownRows(state, location).length > 0

/**
 * Locations whose data are read, visible or not; attention items always are. Details are read once their row is
 * selected.
 */
export function locationsRead(location: Location): readonly Location[] {
  const page = pageOf(location)
  const panels = page.kind === 'overview' ? namesOf(page) : [location.page]
  const shown = page.kind === 'overview' ? panels.filter((name) => name !== page.detail?.panel) : panels
  const locations = page.kind === 'overview' ? shown.map((name) => panelAt(location, name)) : [location]
  if (location.city === '' || shown.includes('attention')) return locations
  return [...locations, attentionOf(location.city)]
}

/** All panels of an overview, whether or not a screen has room for them. */
function namesOf(page: OverviewPage): readonly string[] {
  const columns = [...columnsOf(page, 'narrow'), ...columnsOf(page, 'wide')]
  const names = columns.flatMap(({ bands }) => bands.flatMap(({ panels }) => panels))
  return [...new Set(names)].filter((name) => name !== PREVIEW)
}

/** The table or text that has the keys; at first the panel whose rows have details, or the last. */
export function focused(state: State): Location {
  const panels = panelsOf(state)
  const named = (name: string | undefined) => panels.find(({ page }) => page === name)
  return named(state.focus) ?? named(detailsOf(state)) ?? panels.at(-1) ?? here(state)
}

/** The panel of this page whose selected row another one is about. */
export function detailsOf(state: State): string | undefined {
  const page = pageOf(here(state))
  return page.kind === 'overview' ? page.detail?.of : undefined
}

/** Gives the keys to the next panel, or the one before. */
export function moveFocus(state: State, by: number): State {
  const panels = panelsOf(state)
  const at = panels.indexOf(panels.find(({ page }) => page === focused(state).page) ?? here(state))
  return { ...state, focus: panels[(at + by + panels.length) % panels.length]?.page ?? state.focus }
}

/** The city of this page, or of one on the way to it; in the list of cities the one that is chosen, else the one left last. */
export function meantCity(state: State): string {
  const onTheWay = state.path.findLast(({ city }) => city !== '')?.city
  if (onTheWay !== undefined) return onTheWay
  const marked = selectedRow(state, CITIES)?.id ?? ''
  return viewOf(state, CITIES).selected === undefined ? state.lastCity || marked : marked
}

/** Opens a page; one that is on the way already is gone back to. */
export function open(state: State, location: Location): State {
  const same = (other: Location) => JSON.stringify(other) === JSON.stringify(location)
  const at = state.path.findIndex(same)
  return follow(state, at >= 0 ? state.path.slice(0, at + 1) : [...state.path, location], state.tabs)
}

/** Subject of the selected row or text. */
export const opensOf = (state: State, location: Location): Location | undefined =>
  selectedRow(state, location)?.opens ?? viewOf(state, location).opens

/** Opens what the selected row, or the text, is about. */
export function openSelected(state: State, location: Location): State {
  const target = opensOf(state, location)
  return target ? open(state, target) : state
}

/** Leaves the marked rows first, then the filter, then the page; who leaves a city for the list of cities closes it. */
export function goBack(state: State): State {
  const location = focused(state)
  if (viewOf(state, location).marks.size > 0)
    return updateView(state, location, { marks: new Map(), lastMark: undefined, marksAll: false })
  if (viewOf(state, location).filter !== '') return updateView(state, location, { filter: '' })
  if (state.path.length < 2) return state
  const path = state.path.slice(0, -1)
  const left = here(state).city
  const isLeft = path.at(-1)?.city === '' && left !== ''
  return follow(state, path, isLeft ? state.tabs.filter(({ city }) => city !== left) : state.tabs)
}

/** The next city that is open, at the page where the person was, or the one before. */
export function moveCity(state: State, by: number): State {
  const { tabs } = state
  const at = tabs.findIndex(({ city }) => city === here(state).city)
  const tab = tabs[(at < 0 && by < 0 ? at + 1 + by + tabs.length : at + by + tabs.length) % tabs.length]
  return tab ? switchTo(state, tab.city) : state
}

/** Shows a city that is open, at the page where the person was. */
export function switchTo(state: State, city: string): State {
  const tab = state.tabs.find((each) => each.city === city)
  if (!tab || here(state).city === city) return state
  const path = tab.path.length > 0 ? tab.path : [CITIES, { page: 'overview', city, subject: '' }]
  return follow(state, path, state.tabs)
}

/** Goes along another path: the city that is left keeps its place, and that which is entered gets a tab. */
function follow(state: State, path: readonly Location[], open: readonly Tab[]): State {
  const left = here(state).city
  const { city } = path.at(-1) ?? CITIES
  const next: State = {
    ...state,
    path,
    views: released(state.views),
    notice: undefined,
    lastCity: left || state.lastCity,
  }
  if (city === left) return next
  const kept = open.map((tab) => (tab.city === left ? { ...tab, path: state.path } : tab))
  const tabs = city === '' || kept.some((tab) => tab.city === city) ? kept : [...kept, { city, path: [] }]
  return { ...next, tabs, known: [], connection: { live: false, since: state.now } }
}

/** Drops pages that the user left, since their changes are no longer counted. */
const released = (views: State['views']): State['views'] =>
  Object.fromEntries(Object.entries(views).map(([key, view]) => [key, release(view)]))

const release = (view: View): View => (view.missed === undefined ? view : { ...view, missed: undefined })
