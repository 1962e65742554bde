import { describe, expect, test } from 'bun:test'
import { panelText } from '../../tui/plain/reading.ts'
import { after, alpha, at, enter, row, rows } from './state/world.ts'

const lines = Array.from({ length: 60 }, (_, number) => ({ text: `line ${number}` }))

/** Value read from a page with these lines. */
function read(page: string): string[] {
  const location = at(page, 'al-1')
  const shown = after(enter(alpha, `${page} al-1`)[0], { type: 'text', location, content: { lines }, now: 1 })
  return panelText(shown, location)
}

describe('line by line', () => {
  test('a text is read from its beginning, and one that grows from its end', () => {
    expect(read('bead')).toEqual(lines.map(({ text }) => text))
    expect(read('session')).toEqual(lines.slice(20).map(({ text }) => text))
  })

  test('drawings become words, and lines that only help the eye are left out', () => {
    const drawn = [
      { text: '00:00 │ 00:10', said: '' },
      { text: '✓ paint ··██', said: 'paint: completed' },
      { text: 'end' },
    ]
    const shown = { type: 'text', location: at('bead', 'al-1'), content: { lines: drawn }, now: 1 } as const
    const state = after(enter(alpha, 'bead al-1')[0], shown)
    expect(panelText(state, at('bead', 'al-1'))).toEqual(['paint: completed', 'end'])
  })

  test('a table says that there is more than was read', () => {
    const shown = (hasMore: boolean) =>
      panelText(after(enter(alpha, 'events')[0], rows('events', [row('1')], { hasMore })), at('events'))[0]
    expect([shown(false), shown(true)]).toEqual(['events: 1.', 'events: 1 and more.'])
  })
})
