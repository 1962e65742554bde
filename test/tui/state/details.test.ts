import { describe, expect, test } from 'bun:test'
import type { Location, Row } from '../../../client/views/page.ts'
import { areasOf } from '../../../tui/state/layout.ts'
import { locationsRead, panelsOf } from '../../../tui/state/navigation.ts'
import type { Message } from '../../../tui/state/reducer.ts'
import { selectedRow } from '../../../tui/state/selection.ts'
import { initialState } from '../../../tui/state/state.ts'
import { after, at, press, row } from './world.ts'

const change = at('change', 'ch-1')
const panel = (page: string) => ({ ...at(page, 'ch-1') })
const lines = (path: string) => ({ ...panel('change-lines'), at: { entry: path, text: '' } })
const answered = (location: Location, items: readonly Row[]): Message => ({
  ...{ type: 'rows', location, rows: items, total: undefined, hasMore: false, now: 1 },
})
const files = answered(panel('change-files'), [row('a.ts'), row('b.ts'), row('c.ts')])
const opened = after({ ...initialState(0, 'alpha'), path: [change], focus: 'change-files' }, files)

describe('a panel with details', () => {
  test('is about the selected row of the other, and is read once that is selected', () => {
    expect(panelsOf(opened)).toEqual([panel('change-files'), lines('a.ts')])
    expect(panelsOf(press(opened, 'j'))[1]).toEqual(lines('b.ts'))
    expect(locationsRead(change).map(({ page }) => page)).toEqual(['change-files', 'attention'])
  })

  test('has its part of the width, on a narrow screen and on a wide one', () => {
    const widths = (columns: number) =>
      areasOf(after(opened, { type: 'size', columns, rows: 24 })).map(({ x, width }) => [x, width])
    expect(widths(80)).toEqual([
      [0, 20],
      [20, 60],
    ])
    expect(widths(200)).toEqual([
      [0, 50],
      [50, 150],
    ])
  })
})

describe('a key that jumps', () => {
  const hunks = ['hunk', 'line', 'line', 'hunk', 'line'].map((mark, index) => row(`r${index}`, { mark }))
  const read = after(press(opened, 'tab'), answered(lines('a.ts'), hunks))

  test('selects the next row with its mark, or the one before', () => {
    const selected = (keys: string) => selectedRow(press(read, ...keys), lines('a.ts'))?.id
    expect(selected('n')).toBe('r3')
    expect(selected('jnp')).toBe('r0')
    expect(press(read, 'n', 'n').notice?.text).toBe('there is no next hunk')
  })

  test('selects in another panel, which stays without the keys', () => {
    const next = press(read, 'N')
    expect(panelsOf(next)[1]).toEqual(lines('b.ts'))
    expect(next.focus).toBe('change-lines')
    expect(panelsOf(press(next, 'P'))[1]).toEqual(lines('a.ts'))
  })
})
