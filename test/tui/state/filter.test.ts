import { expect, test } from 'bun:test'
import { shownRows } from '../../../tui/state/selection.ts'
import { after, alpha, at, enter, press, row, rows } from './world.ts'

test('a filter leaves the rows and lines with its text, and with ! before it those without', () => {
  const three = after(enter(alpha, 'sessions')[0], rows('sessions', [row('red-1'), row('blue-2'), row('RED-3')]))
  const shown = (filter: string) => shownRows(press(three, '/', ...filter), at('sessions')).map(({ id }) => id)
  expect(shown('red')).toEqual(['red-1', 'RED-3'])
  expect(shown('!red')).toEqual(['blue-2'])
  expect(shown('!')).toEqual(['red-1', 'blue-2', 'RED-3'])
})
