import { describe, expect, test } from 'bun:test'
import { displayWidth } from '../../src/client/text.ts'
import { beadsPage } from '../../tui/pages/beads.ts'
import type { Row } from '../../tui/pages/page.ts'
import { columnWidths, shortenName } from '../../tui/parts/columns.ts'
import { drawFrame } from '../../tui/parts/frame.ts'
import { renderLines } from '../../tui/parts/lines.tsx'
import { createTheme } from '../../tui/parts/theme.ts'
import type { State } from '../../tui/state/state.ts'
import { action, after, alpha, at, enter, press, row, rows } from './state/world.ts'

const SIZES = [
  [80, 24],
  [120, 40],
  [200, 60],
] as const

const PLAIN = createTheme({ name: 'none', colours: 0, isLight: false })

/** What a person sees of a state: its lines without the sequences that style them. */
const frame = (state: State, columns = 80, rows = 24): string[] =>
  renderLines(drawFrame(after(state, { type: 'size', columns, rows }), PLAIN)).map((line) => Bun.stripANSI(line))

const bead = (id: string, title: string, more: Partial<Row> = {}): Row =>
  row(id, {
    cells: [{ text: id }, { text: 'open' }, { text: title }, { text: 'task' }, {}, {}, { since: 'x' }],
    ...more,
  })

describe('a page', () => {
  const work = after(
    enter(alpha, 'beads')[0],
    rows('beads', [bead('al-1', 'Paint the bridge'), bead('al-2', '宽'.repeat(200))], { total: 252 }),
  )

  for (const [width, height] of SIZES) {
    test(`fits a terminal of ${width} by ${height}`, () => {
      for (const state of [
        alpha,
        work,
        press(work, '?'),
        press(work, ':', ...'be'),
        press(work, '/', ...'x'.repeat(300)),
      ]) {
        const lines = frame(state, width, height)
        expect(lines.length).toBe(height)
        expect(Math.max(...lines.map(displayWidth))).toBe(width)
      }
    })
  }

  test('says how many of all rows it shows, and names its columns', () => {
    const text = frame(work).join('\n')
    expect(text).toContain('work 2 of 252')
    expect(text).toMatch(/id +status +title/)
  })

  test('never says that there is nothing before the server has answered', () => {
    expect(frame(enter(alpha, 'beads')[0]).join('\n')).toContain('reading …')
    const empty = after(enter(alpha, 'beads')[0], rows('beads', []))
    expect(frame(empty).join('\n')).toContain('no open work: n makes a bead')
    const failed = after(enter(alpha, 'beads')[0], {
      type: 'failed',
      location: at('beads'),
      error: 'the store is full',
    })
    expect(frame(failed).join('\n')).toContain('the store is full')
  })

  test('shows what others wrote, and sends none of it to the terminal', () => {
    const hostile = after(enter(alpha, 'beads')[0], rows('beads', [bead('al-1', '\x1b]52;c;aGk=\x07\u202eevil')]))
    const text = frame(hostile).join('\n')
    expect(text).not.toContain('\x1b]52')
    expect(text).not.toContain('\u202e')
    expect(text).toContain('\\u202eevil')
  })

  test('names what an action hits before it is done', () => {
    const kill = action('x', 'kill', { confirm: 'Kill al-1 (Paint the bridge)?' })
    const asked = press(after(work, rows('beads', [bead('al-1', 'Paint', { actions: () => [kill] })])), 'x')
    expect(frame(asked).join('\n')).toContain('Kill al-1 (Paint the bridge)?')
  })
})

describe('columns', () => {
  test('leave where there is no room, those that matter least first', () => {
    const titles = (room: number) =>
      columnWidths(beadsPage.columns, room).flatMap((width, at) => (width ? [beadsPage.columns[at]?.title] : []))
    expect(titles(200)).toEqual(['id', 'status', 'title', 'type', 'prio', 'who', 'age'])
    expect(titles(86)).not.toContain('prio')
    expect(titles(60)).toEqual(['id', 'status', 'title', 'age'])
  })

  test('use all of the room', () => {
    const widths = columnWidths(beadsPage.columns, 150).flatMap((width) => width ?? [])
    expect(widths.reduce((sum, width) => sum + width + 1, -1)).toBe(150)
  })

  test('shorten names in their middle', () => {
    expect(shortenName('my-project/worker-17', 12)).toBe('my-pro…er-17')
    expect(displayWidth(shortenName('宽宽宽宽宽宽宽宽', 9))).toBeLessThanOrEqual(9)
    expect(shortenName('mayor', 12)).toBe('mayor')
  })
})
