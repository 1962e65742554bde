import { describe, expect, test } from 'bun:test'
import { step } from '../../../tui/state/reducer.ts'
import { initialState, type Known, type State, viewOf } from '../../../tui/state/state.ts'
import { action, after, alpha, at, enter, frame, inside, press, row, rows } from './world.ts'

const custom = new Map([
  [
    'beads',
    {
      columns: ['title', 'parent', 'id'],
      filters: new Map([
        ['mine', 'ann'],
        ['urgent', 'P0'],
      ]),
    },
  ],
  ['rigs', { filters: new Map([['mine', 'mill']]) }],
])
const mine = initialState(0, 'alpha', { custom })
const cells = ['al-1', 'open', 'Paint', 'task', 'P2', 'red', 'ann'].map((text) => ({ text }))
const bead = row('al-1', { cells: [...cells, { since: 'x' }, { since: 'x' }, { text: 'al-0' }] })
const page = (state: State, name: string, ...found: ReturnType<typeof row>[]) =>
  after(enter(state, name)[0], rows(name, found))

test('a list has the columns that tui.toml names, in their order, and otherwise none of those that must be asked for', () => {
  const lines = inside(frame(page(mine, 'beads', bead)))
  expect(lines[2]).toMatch(/^title +parent +id$/)
  expect(lines[3]).toMatch(/Paint +al-0 +al-1$/)
  const usual = inside(frame(page(alpha, 'beads', bead), 400))
  expect(usual[2]).toContain('labels')
  expect(usual[2]).not.toMatch(/parent.*│/)
})

const filterOf = (state: State, name: string) => viewOf(state, at(name)).filter

describe('a saved filter', () => {
  const rigs = page(mine, 'rigs', row('mill'), row('bridge'))

  test('is typed by its name, which filters nothing before it is whole', () => {
    expect(filterOf(press(rigs, '/', ...'@mi'), 'rigs')).toBe('')
    expect(filterOf(press(rigs, '/', ...'@mine', 'enter'), 'rigs')).toBe('mill')
    expect(filterOf(press(rigs, '/', '@', 'tab', 'enter'), 'rigs')).toBe('mill')
    expect(filterOf(press(rigs, '/', ...'@other'), 'rigs')).toBe('@other')
  })

  test('is chosen by a command, and read from the server where that searches', () => {
    const [state, effect] = enter(page(mine, 'beads', bead), 'filter urgent')
    expect([filterOf(state, 'beads'), effect]).toEqual(['P0', { type: 'reload', location: at('beads') }])
    expect(filterOf(enter(rigs, 'filter any words')[0], 'rigs')).toBe('any words')
    expect(enter(rigs, 'filter @none')[0].notice?.text).toBe('there is no filter @none; there are @mine')
  })

  test('is found by the palette', () => {
    expect(filterOf(press(rigs, 'ctrl+p', ...'mine', 'enter'), 'rigs')).toBe('mill')
  })
})

const prompt = (state: State) => state.prompt?.edit.text

describe('typed words are completed', () => {
  test('in a filter to saved filters, words before a colon, and values that the rows have', () => {
    const event = (seq: string, type: string, who: string) =>
      row(seq, { cells: [{}, { text: type }, { text: 'al-1' }, { text: who }, {}] })
    const events = page(alpha, 'events', event('2', 'bead.created', 'ann'), event('1', 'bead.closed', 'bob'))
    expect(prompt(press(events, '/', ...'ty', 'tab'))).toBe('type:')
    expect(prompt(press(events, '/', ...'type:be', 'tab'))).toBe('type:bead')
    expect(prompt(press(events, '/', ...'type:bead.cr', 'tab'))).toBe('type:bead.created')
    expect(prompt(press(events, '/', ...'type:bead who:b', 'tab'))).toBe('type:bead who:bob')
    expect(frame(press(events, '/', ...'type:bead.')).at(-1)).toContain('type:bead.closed type:bead.created')
  })

  test('after a colon to the agents, sessions, beads, formulas and rigs that a field takes, and to its choices', () => {
    const known = (kind: Known['kind'], id: string): Known => ({ kind, id, text: id, location: at(kind, id) })
    const give = action('g', 'give', {
      fields: [
        { name: 'target', title: 'agent' },
        { name: 'bead', title: 'bead' },
        { name: 'how', title: 'how', choices: ['fast', 'well'] },
      ],
    })
    const [opened, effect] = step(page(alpha, 'rigs', row('mill', { actions: () => [give] })), {
      type: 'key',
      key: ':',
    })
    expect(effect).toEqual({ type: 'find', city: 'alpha', text: '' })
    const found = after(opened, {
      ...{ type: 'found', city: 'alpha' },
      known: [known('agent', 'shop/ann'), known('bead', 'al-7'), known('formula', 'line'), known('rig', 'mill')],
    })
    expect(prompt(press(found, ...'give sh', 'tab'))).toBe('give shop/ann ')
    expect(prompt(press(found, ...'give shop/ann a', 'tab'))).toBe('give shop/ann al-7 ')
    expect(prompt(press(found, ...'give shop/ann al-7 f', 'tab'))).toBe('give shop/ann al-7 fast ')
    expect(prompt(press(found, ...'formula l', 'tab'))).toBe('formula line ')
    expect(prompt(press(found, ...'rig ', 'tab'))).toBe('rig mill ')
  })
})
