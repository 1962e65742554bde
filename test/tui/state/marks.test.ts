import { describe, expect, test } from 'bun:test'
import { step } from '../../../tui/state/reducer.ts'
import { type State, viewOf } from '../../../tui/state/state.ts'
import { action, after, alpha, at, enter, frame, press, row, rows } from './world.ts'

const bead = (id: string) =>
  row(id, {
    actions: () => [action('x', 'close', { many: {} }), action('e', 'edit'), action('v', 'view')],
  })
const ids = ['a', 'b', 'c', 'd', 'e']
const work = after(enter(alpha, 'beads')[0], rows('beads', ids.map(bead)))
const marked = (state: State) => [...viewOf(state, at('beads')).marks.keys()]

describe('rows', () => {
  test('are marked one by one, and unmarked by the same key or esc', () => {
    const two = press(work, ' ', ' ')
    expect(marked(two)).toEqual(['a', 'b'])
    expect(two.notice?.text).toBe('2 rows marked; esc unmarks')
    expect(marked(press(two, 'up', ' '))).toEqual(['a'])
    const none = press(two, 'esc')
    expect([marked(none), none.path]).toEqual([[], two.path])
  })

  test('are marked from the last marked one to the selected one, in both directions', () => {
    expect(marked(press(work, ' ', 'down', 'down', 'v'))).toEqual(['a', 'b', 'c', 'd'])
    expect(marked(press(work, 'end', ' ', 'up', 'up', 'v')).toSorted()).toEqual(['c', 'd', 'e'])
  })

  test('are not begun to be marked by a key that does something else on the page', () => {
    const [, effect] = step(work, { type: 'key', key: 'v' })
    expect(effect).toMatchObject({ type: 'run', chosen: { action: { name: 'view' }, row: 'a' } })
  })

  test('are marked as far as the filter leaves them, also those that were not read yet', () => {
    const page = (names: readonly string[], hasMore: boolean) => rows('rigs', names.map(bead), { hasMore })
    const marked = (state: State) => [...viewOf(state, at('rigs')).marks.keys()]
    const part = after(enter(alpha, 'rigs')[0], page(['ab', 'c'], true))
    const [first, effect] = step(press(part, '/', 'b', 'enter'), { type: 'key', key: '*' })
    expect(effect).toEqual({ type: 'more', location: at('rigs') })
    const [second, next] = step(first, page(['ab', 'c', 'bd'], true))
    expect(next).toEqual({ type: 'more', location: at('rigs') })
    const [all, last] = step(second, page(['ab', 'c', 'bd', 'eb'], false))
    expect([marked(all), last]).toEqual([['ab', 'bd', 'eb'], undefined])
    expect(marked(press(all, '*'))).toEqual([])
  })

  test('of an earlier filter are not marked while the server searches for another', () => {
    const searching = press(work, '/', 'q', 'enter', '*')
    expect([marked(searching), searching.notice?.text]).toEqual([
      [],
      'the rows are still being searched; press it again',
    ])
    expect(marked(press(after(searching, rows('beads', [bead('q')])), '*'))).toEqual(['q'])
  })

  test('stay marked when they are not shown any more, and are named before something is done to them', () => {
    const gone = after(press(work, ' ', ' '), rows('beads', [bead('b'), bead('c')]))
    expect(marked(gone)).toEqual(['a', 'b'])
    const text = frame(press(gone, 'x')).join('\n')
    expect(text).toContain('close: all of these 2?')
    expect(text).toContain('work 2 · 2 marked')
    expect(text).toContain('●b')
  })

  test('have no key that is for one of them only', () => {
    expect(press(work, ' ', 'e').notice?.text).toBe('this is for one row at a time; esc unmarks the rows')
    expect(enter(press(work, ' '), 'edit')[0].notice?.text).toStartWith('there is no command edit here')
  })

  test('to which something was not done stay marked', () => {
    const location = at('beads')
    const some = press(work, ' ', ' ', ' ')
    const left = after(some, { type: 'outcome', location, outcome: { text: '2 done, 1 left', left: ['b'] } })
    expect([marked(left), left.notice]).toEqual([['b'], { text: '2 done, 1 left', isBad: true }])
    expect(marked(after(some, { type: 'outcome', location, outcome: { text: '3 done', left: [] } }))).toEqual([])
  })
})

test('a question about more rows than the screen has lines is scrolled, and any other key does nothing', () => {
  const many = after(
    work,
    rows(
      'beads',
      Array.from({ length: 50 }, (_, n) => bead(`al-${n}`)),
    ),
  )
  const asked = press(many, '*', 'x')
  expect(frame(asked).join('\n')).toContain('33 more below')
  const end = press(asked, 'pagedown', 'pagedown', 'down')
  const text = frame(end).join('\n')
  expect(text).toContain('al-49')
  expect(text).not.toContain('more below')
  const [, effect] = step(end, { type: 'key', key: 'y' })
  expect(effect).toMatchObject({ type: 'run', chosen: { action: { name: 'close' } } })
  expect(press(end, 'n').overlay).toBeUndefined()
})

test('a list has nothing to mark while it is empty, and a text never', () => {
  const empty = after(enter(alpha, 'beads')[0], rows('beads', []))
  for (const key of [' ', '*', 'v']) expect(marked(press(empty, key))).toEqual([])
  expect(press(enter(alpha, 'bead al-1')[0], ' ').notice?.text).toBe('only rows of a list can be marked')
})
