import { type Line, type Location, matchesFilter, pageOf } from '../../client/views/index.ts'
import { countOf, truncate } from '../../src/client/text.ts'
import { type Area, areasOf, contentOf, headOf, tableWindow, textColumns } from './layout.ts'
import { focused } from './navigation.ts'
import { updateView } from './selection.ts'
import { type State, type View, viewKey, viewOf } from './state.ts'
import { lineAtPlace, placeOfLine, wrapLines } from './text-lines.ts'

/** Visible part of a text: fixed lines above, its wrapped lines, and the first visible one. */
export interface TextWindow {
  readonly head: readonly Line[]
  readonly lines: readonly Line[]
  readonly first: number
  readonly room: number
}

export function textWindow(state: State, area: Area): TextWindow {
  const view = viewOf(state, area.location)
  const columns = textColumns(area)
  const found = foundLines(view)
  const head = [...headOf(state, area), ...wrapLines(remarksOn(view, found.length), columns)]
  const lines = wrapLines(found, columns)
  const room = Math.max(1, contentOf(area).lines - head.length)
  const last = Math.max(0, lines.length - room)
  return { head, lines, room, first: Math.min(view.scroll ?? (isFollowed(area.location) ? last : 0), last) }
}

/** A text that grows is shown from its end. */
function isFollowed(location: Location): boolean {
  const page = pageOf(location)
  return page.kind === 'text' && page.follow !== undefined
}

const READING: readonly Line[] = [{ text: ' reading …', tone: 'quiet' }]
const NOTHING: readonly Line[] = [{ text: ' nothing yet', tone: 'quiet' }]

/** So much of a filter is said above the text that it leaves. */
const MAX_FILTER = 40

/** Reason there is no text, no newer one, or not all of it. */
function remarksOn({ error, loadedAt, lines, filter }: View, found: number): readonly Line[] {
  if (error !== undefined) return [{ text: ` ${error}`, tone: 'bad' }]
  if (lines.length === 0) return loadedAt === undefined ? READING : NOTHING
  if (filter === '') return []
  const counts = `${found} of ${countOf(lines.length, 'line')}`
  return [{ text: `"${truncate(filter, MAX_FILTER)}" · ${counts} · esc clears the filter`, tone: 'quiet' }]
}

const filtered = new WeakMap<readonly Line[], { filter: string; lines: readonly Line[] }>()

/** The lines with the text of the filter. */
function foundLines({ lines, filter }: View): readonly Line[] {
  if (filter === '') return lines
  const known = filtered.get(lines)
  if (known?.filter === filter) return known.lines
  const matching = lines.filter(({ text }) => matchesFilter(text, filter))
  filtered.set(lines, { filter, lines: matching })
  return matching
}

const areaOf = (state: State, location: Location): Area | undefined =>
  areasOf(state).find((area) => viewKey(area.location) === viewKey(location))

/** Scrolls a text; its last line stays visible. At its end, a text that grows is followed. */
export function scrollText(state: State, location: Location, by: number): State {
  const area = areaOf(state, location)
  if (!area) return state
  const { lines, room, first } = textWindow(state, area)
  const last = Math.max(0, lines.length - room)
  const next = Math.max(0, Math.min(last, first + by))
  return updateView(state, location, { scroll: isFollowed(location) && next === last ? undefined : next })
}

/** Begins a text at one of its lines. */
export function scrollToLine(state: State, location: Location, at: number): State {
  const area = areaOf(state, location)
  if (!area) return state
  return updateView(state, location, { scroll: placeOfLine(viewOf(state, location).lines, at, textColumns(area)) })
}

/** A text that became shorter stays visible. */
export function keepScroll(state: State, location: Location): State {
  const area = areaOf(state, location)
  const { scroll } = viewOf(state, location)
  if (!area || scroll === undefined) return state
  const { first } = textWindow(state, area)
  return first === scroll ? state : updateView(state, location, { scroll: first })
}

/** On a screen of another size a text shows the line that it showed. */
export function keepPlace(before: State, state: State): State {
  const location = focused(before)
  const [old, area] = [areaOf(before, location), areaOf(state, location)]
  const view = viewOf(before, location)
  if (!old || !area || view.scroll === undefined) return state
  const lines = foundLines(view)
  const at = lineAtPlace(lines, textWindow(before, old).first, textColumns(old))
  return updateView(state, location, { scroll: placeOfLine(lines, at, textColumns(area)) })
}

/** Number of rows or lines that are visible of what has the keys. */
export function visibleCount(state: State): number {
  const location = focused(state)
  const area = areaOf(state, location)
  if (!area) return state.height
  return pageOf(location).kind === 'text' ? textWindow(state, area).room : tableWindow(state, area).room
}
