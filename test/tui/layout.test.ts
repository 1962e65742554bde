import { describe, expect, test } from 'bun:test'
import { areasOf } from '../../tui/state/layout.ts'
import { panelsOf, previewOf } from '../../tui/state/navigation.ts'
import { type Message, step } from '../../tui/state/reducer.ts'
import type { State } from '../../tui/state/state.ts'
import { after, alpha, at, enter, frame, inside, press, row, rows } from './state/world.ts'

const size = (columns: number, lines: number): Message => ({ type: 'size', columns, rows: lines })
const asks = (id: string, mark: string) =>
  row(id, { mark, cells: [{ text: id }, { text: mark }, { text: `about ${id}` }] })
const session = row('al-9', { opens: at('session', 'al-9') })
const pool = row('hands', { cells: [{ text: 'hands' }, { text: '2/3' }], opens: at('pool', 'hands') })
const screen: Message = {
  ...{ type: 'text', location: at('session', 'al-9'), now: 1 },
  content: { lines: [{ text: 'at work on the bridge' }] },
}
const facts: Message = {
  type: 'facts',
  city: 'alpha',
  facts: {
    ...{ rigs: 2, working: 6, agents: 7, work: { in_progress: 5, ready: 3, open: 40 }, unread: 0 },
    budget: { text: '$1.20 of $5.00 a day', isLow: false },
  },
}
const home = after(alpha, rows('sessions', [session]), rows('agents', [pool]), rows('attention', []), facts)

const panels = (state: State): string[] =>
  areasOf(state).map(({ location, isPreview }) => (isPreview ? `preview of ${location.page}` : location.page))

describe('the overview of a city', () => {
  test('has a layout of its own on each of three sizes', () => {
    expect(panels(after(home, size(80, 24)))).toEqual(['sessions', 'beads'])
    expect(panels(after(home, size(120, 40)))).toEqual(['sessions', 'beads', 'preview of session', 'agents'])
    expect(panels(after(home, size(200, 60)))).toEqual(['sessions', 'beads', 'preview of session', 'agents', 'events'])
  })

  test('has every panel where it is read line by line, and no keys for what is shown beside', () => {
    const read = panelsOf({ ...home, isScreenReader: true }).map(({ page }) => page)
    expect(read).toEqual(['sessions', 'beads', 'agents', 'events'])
  })

  test('fills the screen without a gap or an overlap', () => {
    for (const [columns, lines] of [
      [80, 24],
      [120, 40],
      [200, 60],
      [113, 17],
    ] as const) {
      const state = after(home, size(columns, lines), rows('attention', [asks('q-1', 'needs you')]))
      const covered = areasOf(state).reduce((sum, { width, height }) => sum + width * height, 0)
      expect([columns, covered]).toEqual([columns, columns * (state.height - 1)])
    }
  })

  test('lists concerns first, and says in one line what is well', () => {
    const calm = inside(frame(after(home, size(120, 40)), 120, 40))
    expect(calm[1]).toBe('nothing needs you · 6 running · 7 agents · 5 in progress · 3 ready · 40 open')
    expect(calm[0]).toMatch(/2 rigs · \$1\.20 of \$5\.00 a day left · ·{15} · /)
    const waiting = ['needs you', 'needs you', 'failing', 'at a limit'].map((mark, n) => asks(`q-${n}`, mark))
    const lines = inside(frame(after(home, rows('attention', waiting)), 120, 40))
    expect(lines[1]).toStartWith('2 need you · 1 failing · 1 at a limit · 6 running')
    expect(lines[2]).toStartWith('waiting for you 4')
  })

  test('shows what happens as bars, the newest at the right', () => {
    const ticks = [0, 0, 8, 0, 0, 0, 2].map(
      (happened): Message => ({ type: 'tick', now: 1, unanswered: undefined, happened }),
    )
    expect(frame(after(home, ...ticks), 120, 40)[0]).toMatch(/·+█▃ · /)
  })
})

describe('panels beside a list', () => {
  test('is the text that the selected row opens', () => {
    const wide = after(home, size(200, 60), screen)
    expect(previewOf(wide)).toEqual(at('session', 'al-9'))
    expect(frame(wide, 200, 60).join('\n')).toContain('at work on the bridge')
  })

  test('is the row itself where that opens no text', () => {
    const wide = press(after(home, size(200, 60)), 'tab', 'tab')
    expect(previewOf(wide)).toBeUndefined()
    expect(inside(frame(wide, 200, 60)).join('\n')).toMatch(/agent +hands .*\n *state +2\/3/)
  })

  test('is below the list of a page on a screen that is high enough, and beside it on a wide one', () => {
    const work = after(enter(alpha, 'sessions')[0], rows('sessions', [session]))
    expect(panels(after(work, size(80, 40)))).toEqual(['sessions'])
    expect(areasOf(after(work, size(120, 40)))).toMatchObject([{ width: 120 }, { width: 120, isPreview: true }])
    expect(areasOf(after(work, size(200, 60)))).toMatchObject([{ height: 58 }, { height: 58, x: 120, isPreview: true }])
  })

  test('answers no question that a person has not opened', () => {
    const question = at('question', 'q-1')
    const list = after(
      enter(alpha, 'attention')[0],
      size(200, 60),
      rows('attention', [{ ...asks('q-1', 'needs you'), opens: question }]),
    )
    const read = { lines: [{ text: 'Allow make?' }], toRead: 1 }
    const [next] = step(list, { type: 'text', location: question, content: read, now: 1 })
    expect(Object.values(next.views).some(({ isRead }) => isRead)).toBe(false)
    expect(Object.values(press(next, 'enter').views).some(({ isRead }) => isRead)).toBe(true)
  })
})
