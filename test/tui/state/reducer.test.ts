import { describe, expect, test } from 'bun:test'
import { beadLines } from '../../../tui/state/bead.ts'
import { bindings, keyName, keysOf, verbOf } from '../../../tui/state/keys.ts'
import { type Action, step } from '../../../tui/state/reducer.ts'
import { rows } from '../../../tui/state/rows.ts'
import { type EventRow, initial, MAX_EVENTS, type State } from '../../../tui/state/state.ts'

const eventRow = (seq: number): EventRow => ({ seq, type: 'bead.created', ts: '2026-01-01T00:00:00Z', actor: 'human' })

const city = (name: string) => ({ name, path: `/cities/${name}`, running: true })

const session = (id: string, session_name = id) => ({
  id,
  session_name,
  template: 'worker',
  state: 'active',
  title: `title of ${id}`,
  provider: 'sh',
  created_at: '2026-01-01T00:00:00Z',
  attached: false,
  running: true,
})

const emptyCity = { attention: [], agents: [], sessions: [], beads: [] }

const question = (session_id: string) => ({
  id: 'question:1',
  to_do: '',
  kind: 'permission' as const,
  agent: 'worker',
  session_id,
  since: '2026-01-01T00:00:00Z',
  asks: 'Allow it?',
  answers: ['approve', 'deny'],
})

const keys = (state: State, ...pressed: string[]): State =>
  pressed.reduce((at, key) => step(at, { type: 'key', key })[0], state)

const after = (state: State, ...actions: Action[]): State => actions.reduce((at, action) => step(at, action)[0], state)

const cities = after(initial(0, undefined), { type: 'cities', cities: [city('alpha'), city('beta')], now: 1 })
const inCity = after(initial(0, 'alpha'), {
  type: 'city',
  attention: [],
  agents: [],
  sessions: [session('ga-1'), session('ga-2', 'worker-2')],
  beads: [],
  now: 1,
})

describe('navigation', () => {
  test('enter opens the selected city and esc goes back to the list', () => {
    const opened = keys(cities, 'down', 'enter')
    expect(opened.view).toEqual({ page: 'city', city: 'beta' })
    expect(keys(opened, 'esc').view).toEqual({ page: 'cities' })
  })

  test('enter on a session opens its screen, esc returns to its city', () => {
    const opened = keys(inCity, 'j', 'enter')
    expect(opened.view).toEqual({ page: 'session', city: 'alpha', session: 'ga-2' })
    expect(keys(opened, 'esc').view).toEqual({ page: 'city', city: 'alpha' })
  })

  test('the selection stays inside its list when rows are removed', () => {
    const last = keys(inCity, 'G')
    expect(last.selected.sessions).toBe(1)
    const fewer = after(last, { type: 'city', ...emptyCity, sessions: [session('ga-1')], now: 2 })
    expect(fewer.selected.sessions).toBe(0)
    expect(keys(fewer, 'up', 'up').selected.sessions).toBe(0)
  })

  test('tab cycles through the panels in both directions', () => {
    expect(keys(inCity, 'tab').panel).toBe('beads')
    expect(keys(inCity, 'tab', 'tab', 'tab', 'tab').panel).toBe('sessions')
    expect(keys(inCity, 'shift+tab').panel).toBe('agents')
  })

  test('the attention panel is visible only while something needs attention', () => {
    const waiting = after(inCity, { type: 'city', ...emptyCity, attention: [question('ga-2')], now: 2 })
    const focused = keys(waiting, 'shift+tab', 'shift+tab')
    expect(focused.panel).toBe('attention')
    expect(keys(focused, 'enter').view).toEqual({ page: 'session', city: 'alpha', session: 'ga-2' })
    const answered = after(focused, { type: 'city', ...emptyCity, now: 3 })
    expect(answered.panel).toBe('sessions')
    expect(keys(answered, 'shift+tab', 'shift+tab').panel).toBe('events')
  })

  test('enter on a bead opens it, up and down scroll it to its last line, esc returns', () => {
    const bead = {
      id: 'al-1',
      title: 'Paint it',
      status: 'open',
      issue_type: 'task',
      created_at: '2026-01-01T00:00:00Z',
      description: 'first\nsecond',
    }
    const opened = keys(after(inCity, { type: 'city', ...emptyCity, beads: [bead], now: 2 }), 'tab', 'enter')
    expect(opened.view).toEqual({ page: 'bead', city: 'alpha', bead: 'al-1' })
    const lines = beadLines(bead)
    expect(lines.slice(-2)).toEqual(['first', 'second'])
    expect(keys(opened, 'G').scroll).toBe(lines.length - 1)
    expect(keys(opened, 'G', 'up').scroll).toBe(lines.length - 2)
    expect(keys(opened, 'g', 'up').scroll).toBe(0)
    const shorter = after(keys(opened, 'G'), { type: 'bead', bead: { ...bead, description: '' }, now: 3 })
    expect(shorter.scroll).toBe(beadLines({ ...bead, description: '' }).length - 1)
    expect(keys(opened, 'esc').view).toEqual({ page: 'city', city: 'alpha' })
  })

  test('any key leaves the help page, and q still quits from it', () => {
    const help = keys(inCity, '?')
    expect(help.help).toBe(true)
    expect(keys(help, 'x').help).toBe(false)
    expect(step(help, { type: 'key', key: 'q' })[1]).toEqual({ type: 'quit' })
  })
})

describe('the filter', () => {
  test('narrows rows while it is typed, stays after enter, and is cleared by esc', () => {
    const typed = keys(inCity, '/', 'w', 'o', 'r', 'k', 'e', 'r', '-')
    expect(rows(typed, 'sessions').map(({ id }) => id)).toEqual(['ga-2'])
    const entered = keys(typed, 'enter')
    expect(entered.line).toBeUndefined()
    expect(rows(entered, 'sessions')).toHaveLength(1)
    expect(rows(keys(entered, 'esc'), 'sessions')).toHaveLength(2)
    expect(keys(entered, 'esc').view.page).toBe('city')
  })

  test('keys with a meaning elsewhere are text while typing', () => {
    expect(keys(inCity, '/', 'q', '?', ':', 'backspace').filter).toBe('q?')
  })
})

describe('commands', () => {
  const line = (state: State, text: string) => step(keys(state, ':', ...text), { type: 'key', key: 'enter' })

  test('a command on the selected session carries the city and the session', () => {
    const [state, effect] = line(inCity, 'kill')
    expect(state.line).toBeUndefined()
    expect(effect).toMatchObject({
      type: 'run',
      city: 'alpha',
      session: 'ga-1',
      line: { definition: { name: 'kill' } },
    })
  })

  test('an unknown command, one without its argument, and one without a session show a notice and do nothing', () => {
    expect(line(inCity, 'frobnicate')[0].notice).toEqual({
      text: 'there is no command frobnicate; ? lists them',
      bad: true,
    })
    expect(line(inCity, 'sling')).toMatchObject([{ notice: { text: ':sling AGENT TEXT…', bad: true } }])
    const [state, effect] = line(keys(inCity, 'tab'), 'kill')
    expect(effect).toBeUndefined()
    expect(state.notice?.text).toBe('select a session, then :kill')
  })

  test('sling passes its words on', () => {
    expect(line(inCity, 'sling a/b write  it down')[1]).toMatchObject({ line: { rest: 'a/b write it down' } })
  })
})

describe('events and the connection', () => {
  test('events are newest first, never repeated, and bounded', () => {
    const many = Array.from({ length: MAX_EVENTS + 50 }, (_, index) => eventRow(index + 1))
    const state = after(
      inCity,
      { type: 'events', events: many, now: 5 },
      { type: 'events', events: many.slice(-3), now: 6 },
    )
    expect(state.events).toHaveLength(MAX_EVENTS)
    expect(state.events[0]?.seq).toBe(MAX_EVENTS + 50)
  })

  test('a disconnected stream keeps the age of the data until it is connected again', () => {
    const lost = after(
      inCity,
      { type: 'connection', live: true, now: 10 },
      { type: 'connection', live: false, now: 1000 },
    )
    const later = after(lost, { type: 'tick', now: 61_000 })
    expect(later.connection).toEqual({ live: false, since: 1000 })
    expect(later.freshAt).toBe(10)
    expect(after(later, { type: 'connection', live: true, now: 62_000 }).freshAt).toBe(62_000)
  })
})

describe('key bindings', () => {
  test('give every key one meaning', () => {
    const all = bindings.flatMap(({ keys: names }) => names)
    expect(new Set(all).size).toBe(all.length)
    for (const { verb, keys: names } of bindings) for (const key of names) expect(verbOf(key)).toBe(verb)
  })

  test('name the keys that ink reports', () => {
    const none = {
      upArrow: false,
      downArrow: false,
      leftArrow: false,
      rightArrow: false,
      pageDown: false,
      pageUp: false,
      home: false,
      end: false,
      return: false,
      escape: false,
      ctrl: false,
      shift: false,
      tab: false,
      backspace: false,
      delete: false,
      meta: false,
      super: false,
      hyper: false,
      capsLock: false,
      numLock: false,
    }
    expect(keyName('', { ...none, tab: true, shift: true })).toBe('shift+tab')
    expect(keyName('c', { ...none, ctrl: true })).toBe('ctrl+c')
    expect(keyName('é', none)).toBe('é')
    expect(keysOf('fly\r', none)).toEqual(['f', 'l', 'y', 'enter'])
    expect(keysOf('a\rb\x1b', none)).toEqual(['a', 'b'])
    expect(keysOf('x', none)).toEqual(['x'])
  })
})
