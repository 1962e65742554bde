import { describe, expect, test } from 'bun:test'
import { fieldOf } from '../../tui/pages/launch.ts'
import type { Action } from '../../tui/pages/page.ts'
import { drawFrame } from '../../tui/parts/frame.ts'
import { renderLines } from '../../tui/parts/lines.tsx'
import { createTheme } from '../../tui/parts/theme.ts'
import { keysOf } from '../../tui/plain/words.ts'
import { step } from '../../tui/state/reducer.ts'
import type { State } from '../../tui/state/state.ts'
import { action, after, alpha, at, press, row, rows } from './state/world.ts'

const fields = [
  fieldOf({ name: 'topic', type: 'string', description: 'What is painted', required: true }),
  fieldOf({ name: 'colour', type: 'string', default: 'blue', enum: ['blue', 'red', 'dark green'] }),
  fieldOf({ name: 'coats', type: 'string', default: '2', pattern: '^[0-9]+$' }),
]
const asked = action('', 'run', { help: 'what paint is run with', fields })
const launch = action('n', 'run', { fields: [{ name: 'target', title: 'agent' }], asksMore: true })
const formulas = after(alpha, rows('sessions', [row('paint', { actions: () => [launch] })]))
const waiting = press(formulas, 'n', ...'mayor', 'enter')
const outcome = (begins: Action) =>
  ({ type: 'outcome', outcome: { begins }, location: at('formulas') }) satisfies Parameters<typeof step>[1]
const form = after(waiting, outcome(asked))

const PLAIN = createTheme({ name: 'none', colours: 0, isLight: false })
const frame = (state: State, rows = 24): string =>
  renderLines(drawFrame(after(state, { type: 'size', columns: 80, rows }), PLAIN))
    .map((line) => Bun.stripANSI(line).trimEnd())
    .join('\n')

describe('an action that asks for more', () => {
  test('takes no keys while that is read, and is left by esc', () => {
    expect(waiting.overlay).toMatchObject({ kind: 'wait' })
    expect(press(waiting, 'x', 'q', 'y').overlay).toEqual(waiting.overlay)
    expect(frame(waiting)).toContain('reading …')
    expect(after(press(waiting, 'esc'), outcome(asked)).overlay).toBeUndefined()
  })

  test('says why when it fails, and is over', () => {
    const failed = after(waiting, { type: 'notice', text: 'run: there is no formula paint', isBad: true })
    expect([failed.overlay, failed.notice?.isBad]).toEqual([undefined, true])
  })
})

describe('the variables of a formula', () => {
  test('are fields with their defaults, what they may be, and whether they are required', () => {
    const lines = frame(form).split('\n')
    expect(lines.slice(2, 10)).toEqual([
      ' what paint is run with',
      '',
      ' topic · What is painted · required',
      '',
      ' colour',
      '   blue',
      '     blue · red · dark green',
      ' coats · matches ^[0-9]+$',
    ])
    expect(lines[10]).toBe('   2')
  })

  test('are chosen with right and left, or typed; what is no choice is said', () => {
    const valueAfter = (...keys: string[]) => {
      const { overlay } = press(form, 'tab', ...keys)
      return overlay?.kind === 'form' ? overlay.fields[1]?.edit.text : undefined
    }
    expect([valueAfter('right'), valueAfter('left'), valueAfter('left', 'left')]).toEqual(['red', 'dark green', 'red'])
    const wrong = press(form, 'tab', 'ctrl+u', ...'pink', 'enter')
    expect(wrong.notice).toEqual({ text: 'colour is one of blue, red, dark green', isBad: true })
    expect(press(wrong, 'ctrl+u', ...'red', 'enter').overlay).toMatchObject({ at: 2 })
  })

  test('are given once those that are required are there', () => {
    const early = press(form, 'up', 'enter')
    expect(early.overlay).toMatchObject({ kind: 'form', at: 0 })
    expect(early.notice?.text).toBe('topic · What is painted is needed')
    const [done, effect] = step(press(form, ...'the bridge', 'enter', 'right', 'enter'), { type: 'key', key: 'enter' })
    expect(effect).toMatchObject({ type: 'run', values: { topic: 'the bridge', colour: 'red', coats: '2' } })
    expect(done.overlay).toBeUndefined()
  })

  test('stay on a small screen while they are gone through', () => {
    const many = Array.from({ length: 20 }, (_, number) => ({ name: `v${number}`, title: `variable ${number}` }))
    const asks = after(waiting, outcome(action('', 'run', { fields: many })))
    const down = press(asks, ...Array.from({ length: 15 }, () => 'tab'))
    expect(frame(down)).toContain('variable 15')
    expect(frame(press(down, 'tab', 'tab', 'tab', 'tab'), 12)).toContain('variable 19')
  })

  test('are replaced by a line that is typed without a screen', () => {
    expect(keysOf('red', alpha.keymap, true)).toEqual(['ctrl+u', 'r', 'e', 'd', 'enter'])
    expect(keysOf('', alpha.keymap, true)).toEqual(['enter'])
  })
})
