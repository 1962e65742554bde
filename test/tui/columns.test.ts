import { describe, expect, test } from 'bun:test'
import { type Cell, type Location, type Page, pageOf, pages, type Row } from '../../client/views/index.ts'
import { displayWidth } from '../../src/client/text.ts'
import { columnWidths, contentWidths, GUTTER } from '../../tui/components/columns.ts'
import { shownColumns } from '../../tui/state/custom.ts'
import { type Area, areasOf, contentOf } from '../../tui/state/layout.ts'
import { initialState, type State, viewOf } from '../../tui/state/state.ts'
import { after, frame, row } from './state/world.ts'

const SIZES = [
  [80, 24],
  [120, 40],
  [200, 60],
] as const

/** Lengths of the texts in one column; the longest needs more than a third of a wide screen. */
const LENGTHS = [0, 2, 3, 5, 8, 13, 21, 34, 55, 89]
const SEEDS = 3

/** Numbers that look random and are the same each time. */
function* numbersFrom(seed: number): Generator<number, number> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    yield state >> 8
  }
}

/** A row without blanks in its texts. */
function wordsOf(name: string, columns: number, lengths: Generator<number, number>): Row {
  const next = (): number => LENGTHS[lengths.next().value % LENGTHS.length] ?? 0
  return row(name, { cells: Array.from({ length: columns }, (): Cell => ({ text: 'x'.repeat(next()) })) })
}

const locationOf = ({ name, isGlobal, about }: Page): Location => ({
  ...{ page: name, city: isGlobal ? '' : 'alpha', subject: about === undefined ? '' : 'al-1' },
})

/** A page whose lists have some rows each. */
function filled(page: Page, columns: number, rows: number, seed: number): State {
  const start = initialState(0, 'alpha')
  const state = after({ ...start, path: [...start.path, locationOf(page)] }, { type: 'size', columns, rows })
  const lengths = numbersFrom(seed)
  return pages.reduce((next, each) => {
    if (each.kind !== 'table') return next
    const items = Array.from({ length: 3 }, (_, at) => wordsOf(`r-${at}`, each.columns.length, lengths))
    const location = { ...locationOf(each), subject: locationOf(page).subject }
    return after(next, { type: 'rows', location, rows: items, total: 3, hasMore: false, now: 1 })
  }, state)
}

/** The lists on the screen of a state, and the rows of each. */
const listsOf = (state: State): { area: Area; rows: readonly Row[] }[] =>
  areasOf(state).flatMap((area) => {
    const { rows } = viewOf(state, area.location)
    return area.isPreview || rows.length === 0 ? [] : [{ area, rows }]
  })

/** The titles of columns of a list that cut a text, and the columns of the screen that no text of it needs. */
function cutsOf(state: State, { area, rows }: { area: Area; rows: readonly Row[] }) {
  const page = pageOf(area.location)
  if (page.kind !== 'table') return { cut: [], spare: 0 }
  const { columns, places } = shownColumns(state, page)
  const all = contentWidths(page.columns, rows, rows, 1)
  const wanted = places.map((place) => all[place] ?? 0)
  const room = contentOf(area).columns - GUTTER
  const shown = columnWidths(columns, room, wanted).flatMap((width, at) =>
    width === undefined ? [] : [{ width, needs: wanted[at] ?? 0, title: columns[at]?.title ?? '' }],
  )
  const cut = shown.filter(({ width, needs }) => width < needs).map(({ title }) => title)
  const used = shown.reduce((sum, { width }) => sum + width + 1, -1)
  const unneeded = shown.map(({ width, needs, title }) => Math.max(0, width - Math.max(needs, displayWidth(title))))
  return { cut, spare: room - used + unneeded.reduce((sum, each) => sum + each, 0) }
}

/** Blanks beside each other that run through the titles and rows of a list: nothing needs them. */
function spareBlanks(lines: readonly string[], { area }: { area: Area }): number {
  const { columns, y } = contentOf(area)
  const list = lines.slice(y, y + 4).map((line) => [...line].slice(area.x + 1 + GUTTER, area.x + 1 + columns))
  if (!list.flat().includes('…')) return 0
  const isBlank = (at: number) => list.every((line) => (line[at] ?? ' ') === ' ')
  return Array.from({ length: columns - GUTTER }, (_, at) => at).filter((at) => isBlank(at) && isBlank(at + 1)).length
}

describe('no cell is cut while blanks are left in its row', () => {
  const LISTS = pages.filter(({ kind }) => kind !== 'text')

  test.each(SIZES)('on any page at %d by %d', (columns, rows) => {
    for (const page of LISTS)
      for (let seed = 0; seed < SEEDS; seed++) {
        const state = filled(page, columns, rows, seed)
        for (const list of listsOf(state)) {
          const { cut, spare } = cutsOf(state, list)
          const what = [page.name, list.area.location.page, seed, cut]
          expect([...what, cut.length === 0 ? 0 : spare]).toEqual([...what, 0])
        }
      }
  })

  test.each(SIZES)('on the screen at %d by %d', (columns, rows) => {
    for (const page of LISTS.filter(({ name }) => name === 'overview' || name === 'attention')) {
      const state = filled(page, columns, rows, 1)
      const lines = frame(state, columns, rows)
      for (const list of listsOf(state))
        expect([page.name, list.area.location.page, spareBlanks(lines, list)]).toEqual([
          ...[page.name, list.area.location.page, 0],
        ])
    }
  })
})
