import { describe, expect, test } from 'bun:test'
import { matchFuzzy } from '../../../tui/state/fuzzy.ts'
import { tabsOf } from '../../../tui/state/header.ts'
import { editLine, lineOf, pasteInto } from '../../../tui/state/line.ts'
import { focused } from '../../../tui/state/navigation.ts'
import { findEntries } from '../../../tui/state/palette.ts'
import { type Message, step } from '../../../tui/state/reducer.ts'
import { selectedRow } from '../../../tui/state/selection.ts'
import { here, type State } from '../../../tui/state/state.ts'
import { action, after, alpha, at, enter, press, row, rows } from './world.ts'

const sized = (state: State): State => after(state, { type: 'size', columns: 100, rows: 30 })
const click = (x: number, y: number): Message => ({ type: 'mouse', action: 'press', x, y })
const wheel = (x: number, y: number, action: 'wheel-up' | 'wheel-down'): Message => ({ type: 'mouse', action, x, y })

describe('the mouse', () => {
  const many = Array.from({ length: 40 }, (_, n) => row(`al-${n}`, { opens: at('bead', `al-${n}`) }))
  const list = sized(after(enter(alpha, 'beads')[0], rows('beads', many)))

  test('selects a row, and opens the one that is selected', () => {
    const third = after(list, click(5, 5))
    expect(selectedRow(third, at('beads'))?.id).toBe('al-2')
    expect(here(third)).toEqual(at('beads'))
    expect(here(after(third, click(5, 5)))).toEqual(at('bead', 'al-2'))
    expect(selectedRow(after(list, click(5, 1)), at('beads'))?.id).toBe('al-0')
  })

  test('turns the list under it', () => {
    expect(selectedRow(after(list, wheel(5, 9, 'wheel-down')), at('beads'))?.id).toBe('al-3')
    expect(selectedRow(after(list, wheel(5, 9, 'wheel-down'), wheel(5, 9, 'wheel-up')), at('beads'))?.id).toBe('al-0')
  })

  test('gives the keys to the panel that it clicks', () => {
    const overview = sized(after(alpha, rows('beads', [row('al-1')]), rows('sessions', [row('al-9')])))
    const work = after(overview, click(3, 20))
    expect(focused(work).page).toBe('beads')
    expect(focused(after(work, click(70, 3))).page).toBe('sessions')
  })

  test('opens what is shown beside a list by a click on it', () => {
    const wide = after(list, { type: 'size', columns: 200, rows: 30 })
    expect(here(after(press(wide, 'j'), click(190, 9)))).toEqual(at('bead', 'al-1'))
    expect(here(after(wide, click(20, 9)))).toEqual(at('beads'))
  })

  test('is given back to the terminal and taken again by one key', () => {
    const [off, effect] = step(list, { type: 'key', key: 'ctrl+t' })
    expect([off.hasMouse, effect]).toEqual([false, { type: 'mouse', on: false }])
    expect(step(off, { type: 'key', key: 'ctrl+t' })[1]).toEqual({ type: 'mouse', on: true })
  })
})

describe('the palette', () => {
  const kill = action('x', 'kill', { confirm: 'Kill al-9?' })
  const state = after(
    alpha,
    { type: 'cities', names: ['alpha', 'beta'] },
    rows('sessions', [row('al-9', { actions: () => [kill] })]),
  )

  test('asks for what the city has, and opens what is marked', () => {
    const [opened, effect] = step(state, { type: 'key', key: 'ctrl+p' })
    expect(effect).toEqual({ type: 'find', city: 'alpha', text: '' })
    const known = [{ kind: 'bead' as const, id: 'al-4', text: 'al-4 · Paint the bridge', location: at('bead', 'al-4') }]
    const found = after(opened, { type: 'found', city: 'alpha', known })
    expect(here(press(found, ...'ptbr', 'enter'))).toEqual(at('bead', 'al-4'))
    expect(press(found, 'esc').overlay).toBeUndefined()
    expect(after(opened, { type: 'found', city: 'beta', known }).known).toEqual([])
  })

  test('finds pages, cities and commands, and asks before one that hurts', () => {
    expect(here(press(state, 'ctrl+p', ...'beta', 'enter')).city).toBe('beta')
    expect(here(press(state, 'ctrl+p', ...'convoys', 'enter')).page).toBe('convoys')
    expect(press(state, 'ctrl+p', ...'kill', 'enter').overlay).toMatchObject({ kind: 'confirm' })
    expect(findEntries(state, 'zzzz')).toEqual([])
  })

  test('prefers whole words and beginnings', () => {
    expect(matchFuzzy('xy', 'abc')).toBeUndefined()
    expect(matchFuzzy('paint', 'paint the bridge')).toBeGreaterThan(matchFuzzy('paint', 'repainting') ?? 0)
    expect(matchFuzzy('br pa', 'paint the bridge')).toBeDefined()
  })
})

describe('open cities', () => {
  const beta = after(alpha, { type: 'cities', names: ['alpha', 'beta'] })

  test('keep their place while another one is shown', () => {
    const both = enter(enter(beta, 'beads')[0], 'city beta')[0]
    expect(both.tabs.map(({ city }) => city)).toEqual(['alpha', 'beta'])
    expect(here(press(both, ']'))).toEqual(at('beads'))
    expect(here(press(both, ']', '[')).city).toBe('beta')
  })

  test('close when a person goes back to the list of cities', () => {
    const left = press(alpha, 'esc')
    expect([here(left).page, left.tabs]).toEqual(['cities', []])
  })
})

describe('a new item that needs attention', () => {
  const asks = (id: string) => row(id, { cells: [{ text: 'al-9' }, { text: 'question' }, { text: `Allow ${id}?` }] })

  test('is said once, and not what waited before', () => {
    const [known, first] = step(alpha, rows('attention', [asks('q-1')]))
    expect(first).toBeUndefined()
    const [more, second] = step(known, rows('attention', [asks('q-1'), asks('q-2')]))
    expect(second).toEqual({ type: 'alert', text: 'alpha: al-9 Allow q-2?' })
    expect(step(more, rows('attention', [asks('q-2')]))[1]).toBeUndefined()
  })

  test('is shown in the other cities that are open as well, on their tabs, and ! goes there', () => {
    const place = { page: 'attention', city: 'beta', subject: '' }
    const question = { page: 'question', city: 'beta', subject: 'q-1' }
    const waits = (...ids: string[]): Message => ({
      ...{ type: 'rows', location: place, total: undefined, hasMore: false, now: 1 },
      rows: ids.map((id) => ({ ...asks(id), opens: question })),
    })
    const back = press(after(enter(alpha, 'city beta')[0], waits()), '[')
    expect(here(back).city).toBe('alpha')
    expect(tabsOf(back).map(({ text }) => text)).toEqual(['alpha', 'beta'])
    const [told, effect] = step(back, waits('q-1'))
    expect(effect).toEqual({ type: 'alert', text: 'beta: al-9 Allow q-1?' })
    expect(tabsOf(told).map(({ text }) => text)).toEqual(['alpha', 'beta !1'])
    expect(press(told, '!').path.slice(-2)).toEqual([{ ...place, page: 'overview' }, question])
  })
})

describe('the help', () => {
  test('scrolls to its last line and back, and any other key leaves it', () => {
    const first = (state: State) => (state.overlay?.kind === 'help' ? state.overlay.first : undefined)
    const help = press(sized(alpha), '?')
    expect([first(press(help, 'down')), first(press(help, 'up'))]).toEqual([1, 0])
    const end = first(press(help, 'G')) ?? 0
    expect(end).toBeGreaterThan(0)
    expect([first(press(help, 'G', 'down')), first(press(help, 'G', 'g'))]).toEqual([end, 0])
    expect(first(after(help, wheel(5, 5, 'wheel-down')))).toBe(3)
    expect(first(press(help, 'x'))).toBeUndefined()
  })
})

describe('a form', () => {
  test('is asked for although its fields are filled, and not when they come with the command', () => {
    const edit = action('e', 'edit', { fields: [{ name: 'title', title: 'title', initial: 'Paint the bridge' }] })
    const state = after(enter(alpha, 'beads')[0], rows('beads', [row('al-1', { actions: () => [edit] })]))
    const [asked, none] = step(state, { type: 'key', key: 'e' })
    expect([asked.overlay?.kind, none]).toEqual(['form', undefined])
    expect(step(asked, { type: 'key', key: 'enter' })[1]).toMatchObject({ values: { title: 'Paint the bridge' } })
    expect(enter(state, 'edit Burn it')[1]).toMatchObject({ values: { title: 'Burn it' } })
  })

  test('is not taken from a page that is still being read', () => {
    expect(press(enter(alpha, 'beads')[0], 'e').notice?.text).toBe('the page is still being read; press it again')
  })
})

describe('a line', () => {
  test('is edited by what a person sees as characters', () => {
    const family = '👩‍👩‍👧'
    expect(editLine(lineOf(`a${family}`), 'backspace').text).toBe('a')
    expect(editLine(editLine(lineOf('e'), '\u0301'), 'backspace').text).toBe('')
    expect(editLine({ text: 'abc', caret: 1 }, 'delete')).toEqual({ text: 'ac', caret: 1 })
    expect(editLine({ text: 'one two', caret: 7 }, 'alt+b').caret).toBe(4)
  })

  test('takes pasted text as one line', () => {
    expect(pasteInto(lineOf('a '), 'b\r\nc\x1b[31m')).toEqual({ text: 'a b c[31m', caret: 9 })
    const typed = press(alpha, ':')
    expect(after(typed, { type: 'paste', text: 'beads' }).prompt?.edit.text).toBe('beads')
    expect(after(alpha, { type: 'paste', text: 'qqq' }).notice?.isBad).toBe(true)
  })
})
