import { type Band, type Line, type Location, PREVIEW, pageOf } from '../../client/views/index.ts'
import { truncate } from '../../src/client/text.ts'
import { columnsOf, focused, isShown, panelIn, previewOf, sizeOf } from './navigation.ts'
import { selectedIndex, shownRows } from './selection.ts'
import { here, type State, viewOf } from './state.ts'
import { wrapLine } from './text-lines.ts'

/** Position of a table or text on the screen; its first line is 1, below the header. */
export interface Area {
  readonly location: Location
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** True if it has a border on all sides; otherwise a line above it. */
  readonly isFramed: boolean
  /** True if it shows what the selected row is about, and never has the keys. */
  readonly isPreview?: boolean
}

type Place = Pick<Area, 'x' | 'y' | 'width' | 'height'>

/** Smaller panels have no border. */
const MIN_FRAMED = { columns: 20, lines: 3 }

/** A text that has the screen to itself has all of its columns, so that the screen of a session fits. */
function areaOf(location: Location, at: Place, isAlone: boolean): Area {
  const isText = pageOf(location).kind === 'text'
  const isFramed = !(isText && isAlone) && at.width >= MIN_FRAMED.columns && at.height >= MIN_FRAMED.lines
  return { location, ...at, isFramed }
}

/** Columns and lines of a panel inside its border, and its first line on the screen. */
export function contentOf({ y, width, height, isFramed }: Area): { columns: number; lines: number; y: number } {
  const sides = isFramed ? 2 : 0
  return { columns: Math.max(1, width - sides), lines: Math.max(1, height - (isFramed ? 2 : 1)), y: y + 1 }
}

const known = new WeakMap<State, readonly Area[]>()

/** The tables and texts that are visible, and where; computed once for a state, since every panel needs it. */
export function areasOf(state: State): readonly Area[] {
  const areas = known.get(state) ?? findAreas(state)
  known.set(state, areas)
  return areas
}

function findAreas(state: State): readonly Area[] {
  const location = here(state)
  const page = pageOf(location)
  const whole = { x: 0, y: 1, width: state.width, height: state.height }
  if (page.kind === 'overview') {
    const columns = columnsOf(page, sizeOf(state))
    const edges = edgesOf(
      columns.map(({ share }) => share),
      state.width,
    )
    const body = hasCounts(state) ? { ...whole, y: 2, height: whole.height - 1 } : whole
    return columns.flatMap(({ bands }, at) => {
      const [x = 0, end = 0] = [edges[at], edges[at + 1]]
      return bandAreas(state, bands, { ...body, x, width: end - x })
    })
  }
  if (page.kind === 'text') return [areaOf(location, whole, true)]
  const split = splitOf(state, location)
  if (!split) return [areaOf(location, whole, true)]
  const [list, beside] = split
  return [areaOf(location, list, true), previewArea(state, beside)]
}

/** True if the line of counts stands above the panels. */
export function hasCounts(state: State): boolean {
  const page = pageOf(here(state))
  return page.kind === 'overview' && page.hasCounts === true && state.height >= 10
}

/** Lists of a city have what is selected below them, or beside them on a wide screen. */
const MIN_LINES_BELOW = 30
const LIST_SHARE = 0.6
/** A short list has so many lines, so that what is below it does not move with each of its first rows. */
const MIN_LIST_ABOVE = 12

function splitOf(state: State, location: Location): readonly [Place, Place] | undefined {
  const { width, height } = state
  const size = sizeOf(state)
  const whole = { x: 0, y: 1, width, height }
  if (size === 'wide') {
    const left = Math.floor(width * LIST_SHARE)
    return [
      { ...whole, width: left },
      { ...whole, x: left, width: width - left },
    ]
  }
  if (size === 'narrow' || height < MIN_LINES_BELOW) return undefined
  const needed = viewOf(state, location).head.length + shownRows(state, location).length + TITLED
  const upper = Math.min(Math.floor(height * LIST_SHARE), Math.max(MIN_LIST_ABOVE, needed))
  return [
    { ...whole, height: upper },
    { ...whole, y: 1 + upper, height: height - upper },
  ]
}

/** Preview of the selected row; without a text, the row itself. */
const previewArea = (state: State, at: Place): Area => ({
  ...areaOf(previewOf(state) ?? focused(state), at, false),
  isPreview: true,
})

/** Bands below each other in a part of the screen. */
function bandAreas(state: State, all: readonly Band[], room: Place): readonly Area[] {
  const bands = all.filter((band) => isShown(state, band))
  const heights = bandHeights(state, bands, room.height)
  return bands.flatMap(({ panels, widths = panels.map(() => 1) }, band) => {
    const edges = edgesOf(widths, room.width)
    return panels.map((name, at) => {
      const place = {
        x: room.x + (edges[at] ?? 0),
        y: room.y + heights.slice(0, band).reduce((sum, height) => sum + height, 0),
        width: (edges[at + 1] ?? 0) - (edges[at] ?? 0),
        height: heights[band] ?? 0,
      }
      return name === PREVIEW ? previewArea(state, place) : areaOf(panelIn(state, name), place, false)
    })
  })
}

/** The columns at which parts of a width begin, and its end. */
function edgesOf(widths: readonly number[], width: number): number[] {
  const all = widths.reduce((sum, each) => sum + each, 0)
  const before = widths.map((_, at) => widths.slice(0, at).reduce((sum, each) => sum + each, 0))
  return [...before, all].map((part) => Math.floor((width * part) / all))
}

/** Lines of a panel that are not rows: its border, and the titles of its columns. */
const EDGES = 2
const TITLED = 3
const MIN_BAND = 3
const MIN_LIST = 6

/** A list takes no more lines than its rows need, one that hides when it is empty also none for titles; the last takes what is left. */
function bandHeights(state: State, bands: readonly Band[], height: number): number[] {
  const shares = bands.reduce((sum, { share }) => sum + share, 0)
  let left = height
  return bands.map(({ share, hidesWhenEmpty, panels }, at) => {
    const wanted = Math.max(MIN_BAND, Math.floor((height * share) / shares))
    const rows = Math.max(...panels.map((name) => rowsOf(state, name)))
    const needed = hidesWhenEmpty ? rows + EDGES : Math.max(MIN_LIST, rows + TITLED)
    const lines = at === bands.length - 1 ? left : Math.min(left, needed, wanted)
    left -= lines
    return Math.max(0, lines)
  })
}

/** Rows of a panel; what is not a list needs all that it gets. */
function rowsOf(state: State, name: string): number {
  if (name === PREVIEW) return Number.POSITIVE_INFINITY
  const location = panelIn(state, name)
  return pageOf(location).kind === 'table' ? shownRows(state, location).length : Number.POSITIVE_INFINITY
}

/** Visible rows of a table, and the content line of the first. */
export interface TableWindow {
  readonly first: number
  readonly room: number
  readonly top: number
  readonly hasTitles: boolean
}

/** The columns that a text has: one is left free at its edge, and within a border at both. */
export const textColumns = (area: Area): number => Math.max(1, contentOf(area).columns - (area.isFramed ? 2 : 1))

/** So many lines of the screen are taken at most by one line that stays above a table or text. */
const MAX_HEAD = 3

/** The lines that stay above a table or text, as they are on the screen. */
export const headOf = (state: State, area: Area): readonly Line[] =>
  viewOf(state, area.location).head.flatMap((line) => {
    const lines = wrapLine({ tone: 'quiet', ...line }, textColumns(area))
    const last = lines[MAX_HEAD - 1]
    return lines.length > MAX_HEAD && last
      ? [...lines.slice(0, MAX_HEAD - 1), { ...last, text: truncate(`${last.text} …`, textColumns(area)) }]
      : lines
  })

/** Lower panels show rows only. */
const MIN_HEIGHT_FOR_DETAILS = 14
const MIN_LINES_FOR_TITLES = 5

export function tableWindow(state: State, area: Area): TableWindow {
  const { location, height } = area
  const rows = shownRows(state, location)
  const head = headOf(state, area)
  const { lines } = contentOf(area)
  const hasTitles = rows.length > 0 && lines - head.length >= MIN_LINES_FOR_TITLES
  const top = head.length + (hasTitles ? 1 : 0)
  const page = pageOf(location)
  const kept = page.kind === 'table' && height >= MIN_HEIGHT_FOR_DETAILS ? (page.detailLines ?? 0) : 0
  const room = Math.max(1, lines - top - kept)
  const centred = selectedIndex(state, location) - Math.floor(room / 2)
  return { first: Math.max(0, Math.min(centred, rows.length - room)), room, top, hasTitles }
}

/** The area under a place on the screen. */
export const areaAt = (state: State, x: number, y: number): Area | undefined =>
  areasOf(state).find((area) => x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height)

/** The row of a table under a line of the screen. */
export function rowAt(state: State, area: Area, y: number): number | undefined {
  const { first, room, top } = tableWindow(state, area)
  const line = y - contentOf(area).y - top
  const index = first + line
  return line >= 0 && line < room && index < shownRows(state, area.location).length ? index : undefined
}
