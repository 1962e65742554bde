import { describe, expect, test } from 'bun:test'
import { createKeymap } from '../../../tui/state/keys.ts'
import { focused, panelsOf } from '../../../tui/state/navigation.ts'
import { step } from '../../../tui/state/reducer.ts'
import { selectedRow, shownRows } from '../../../tui/state/selection.ts'
import { here, initialState, viewOf } from '../../../tui/state/state.ts'
import { action, after, alpha, at, enter, frame, press, row, rows } from './world.ts'

const cities = after(
  initialState(0, undefined),
  rows(
    'cities',
    ['alpha', 'beta'].map((city) => row(city, { opens: { page: 'overview', city, subject: '' } })),
  ),
)

describe('the first run', () => {
  test('shows five hints with the keys of this person over the page, until any key', () => {
    const keymap = createKeymap(new Map([['palette', ['ctrl+k']]]))
    const first = initialState(0, 'alpha', { keymap, isFirstRun: true })
    const shown = frame(first).map((line) => line.replaceAll('│', '').trim())
    const keys = ['!', 'ctrl+k', ':', 'a', '?'].map((key) => new RegExp(`^${RegExp.escape(key)} {2,}\\w`))
    for (const key of keys) expect(shown.filter((line) => key.test(line))).toHaveLength(1)
    for (const key of ['esc', 'enter', ' ']) {
      expect(press(first, key)).toEqual({ ...first, overlay: undefined })
    }
    const prompted = press(first, ':')
    expect(prompted).toMatchObject({ overlay: undefined, prompt: { kind: 'command' } })
    expect(after(first, { type: 'mouse', action: 'press', x: 1, y: 1 }).overlay).toBeUndefined()
  })
})

describe('navigation', () => {
  test('enter opens what the row is about, esc goes back along the way', () => {
    const opened = press(cities, 'down', 'enter')
    expect(here(opened)).toEqual({ page: 'overview', city: 'beta', subject: '' })
    expect(here(press(opened, 'esc'))).toEqual(at('cities'))
    expect(here(press(opened, 'esc', 'esc'))).toEqual(at('cities'))
  })

  test('one key leads to the overview from anywhere, and one begins a search', () => {
    const far = enter(enter(alpha, 'beads')[0], 'bead al-1')[0]
    expect(press(far, 'H').path).toEqual(alpha.path)
    expect(press(press(alpha, 'tab'), 'H').focus).toBe(alpha.focus)
    expect(here(press(enter(far, 'cities')[0], 'H'))).toEqual(at('overview'))
    expect(press(cities, 'H').notice).toBeUndefined()
    expect(press(initialState(0, undefined), 'H').notice?.text).toBe('open a city first')
    expect(press(far, 'ctrl+s', ...'rate').prompt?.edit.text).toBe('search rate')
  })

  test('a page that is on the way already is gone back to', () => {
    const sessions = enter(enter(alpha, 'sessions')[0], 'beads')[0]
    expect(enter(sessions, 'sessions')[0].path.map(({ page }) => page)).toEqual(['cities', 'overview', 'sessions'])
  })

  test('tab goes through the panels of an overview in both directions, and past one that is hidden', () => {
    expect(focused(alpha).page).toBe('sessions')
    expect(panelsOf(alpha).map(({ page }) => page)).toEqual(['sessions', 'beads'])
    expect(focused(press(alpha, 'tab', 'tab', 'tab')).page).toBe('beads')
    const waiting = after(alpha, rows('attention', [row('question:1')]))
    expect(focused(press(waiting, 'shift+tab')).page).toBe('attention')
    const answered = after(press(waiting, 'shift+tab'), rows('attention', []))
    expect(panelsOf(answered).map(({ page }) => page)).toContain(focused(answered).page)
  })

  test('! opens what waits for a person, one after the other', () => {
    expect(press(alpha, '!').notice?.text).toBe('still loading what needs attention; press it again')
    expect(press(after(alpha, rows('attention', [])), '!').notice?.text).toBe('nothing waits for you')
    const asks = ['q-1', 'q-2'].map((id) => row(id, { opens: at('question', id) }))
    const waiting = after(alpha, rows('attention', asks))
    expect(press(waiting, '!').path.slice(-1)).toEqual([at('question', 'q-1')])
    expect(press(waiting, '!', '!').path.slice(-2)).toEqual([at('overview'), at('question', 'q-2')])
    expect(here(press(waiting, '!', '!', '!'))).toEqual(at('question', 'q-1'))
    expect(press(cities, '!').notice).toEqual({ text: 'open a city first', isBad: true })
  })

  test('esc leaves the help, and so does any key', () => {
    expect(press(alpha, '?').overlay).toEqual({ kind: 'help', first: 0 })
    expect(press(alpha, '?', 'x').overlay).toBeUndefined()
    expect(enter(alpha, 'help')[0].overlay).toEqual({ kind: 'help', first: 0 })
    expect(step(press(alpha, '?'), { type: 'key', key: 'ctrl+c' })[1]).toEqual({ type: 'quit' })
  })
})

describe('an escape that comes in one piece with the next key', () => {
  test('is both keys, on a page and over the help', () => {
    const beads = enter(alpha, 'beads')[0]
    expect(press(beads, 'alt+:').prompt?.kind).toBe('command')
    expect(here(press(beads, 'alt+:')).page).toBe(here(alpha).page)
    const helped = press(beads, '?')
    expect(press(helped, 'alt+/')).toMatchObject({ overlay: undefined, prompt: { kind: 'filter' } })
  })

  test('is the configured key, and not an escape while a line is typed', () => {
    const chosen = { ...alpha, keymap: createKeymap(new Map([['help', ['alt+h']]])) }
    expect(press(chosen, 'alt+h').overlay?.kind).toBe('help')
    expect(press(alpha, ':', 'b', 'alt+x').prompt).toMatchObject({ kind: 'command', edit: { text: 'b' } })
  })
})

describe('the selection', () => {
  const three = after(alpha, rows('sessions', [row('a-1'), row('a-2'), row('a-3')]))
  const selected = (state: typeof three) => selectedRow(state, at('sessions'))?.id

  test('follows its row when others come before it', () => {
    const second = press(three, 'down')
    expect(selected(second)).toBe('a-2')
    expect(selected(after(second, rows('sessions', [row('a-9'), row('a-1'), row('a-2')])))).toBe('a-2')
  })

  test('stays on the row that is looked at before anyone chose one', () => {
    const more = after(three, rows('sessions', [row('a-9'), row('a-1'), row('a-2')]))
    expect(selected(more)).toBe('a-1')
    expect(selected(after(more, rows('sessions', [row('a-9'), row('a-2')])))).toBe('a-2')
    const events = after(enter(alpha, 'events')[0], rows('events', [row('1')]), rows('events', [row('2'), row('1')]))
    expect(selectedRow(events, at('events'))?.id).toBe('2')
    const chosen = after(press(events, 'down'), rows('events', [row('3'), row('2'), row('1')]))
    expect(selectedRow(chosen, at('events'))?.id).toBe('1')
  })

  test('goes to the row in its place when its own disappears', () => {
    const last = press(three, 'G')
    expect(selected(after(last, rows('sessions', [row('a-1'), row('a-2')])))).toBe('a-2')
    expect(selected(after(last, rows('sessions', [])))).toBeUndefined()
  })

  test('stays at the ends', () => {
    expect(selected(press(three, 'up', 'up'))).toBe('a-1')
    expect(selected(press(three, 'G', 'down'))).toBe('a-3')
  })

  test('asks for more rows before it reaches the last that was read', () => {
    const some = after(alpha, rows('sessions', [row('a-1'), row('a-2')], { hasMore: true, total: 90 }))
    expect(step(some, { type: 'key', key: 'down' })[1]).toEqual({ type: 'more', location: at('sessions') })
    expect(step(three, { type: 'key', key: 'down' })[1]).toBeUndefined()
  })

  test('leaves out bookkeeping until it is asked for', () => {
    const state = after(alpha, rows('sessions', [row('a-1'), row('a-2', { isSystem: true })]))
    expect(shownRows(state, at('sessions')).map(({ id }) => id)).toEqual(['a-1'])
    expect(shownRows(press(state, '.'), at('sessions'))).toHaveLength(2)
  })
})

describe('rows that are held', () => {
  const events = after(enter(alpha, 'events')[0], rows('events', [row('2'), row('1')]))
  const missed = { type: 'missed', location: at('events') } as const
  const countOf = (state: typeof events) => viewOf(state, at('events')).missed

  test('count what comes until they follow the newest again, with the first selected', () => {
    expect(countOf(events)).toBeUndefined()
    const held = after(press(events, 'down', 'F'), missed, missed)
    expect(countOf(held)).toBe(2)
    expect(selectedRow(held, at('events'))?.id).toBe('1')
    const [followed, effect] = step(held, { type: 'key', key: 'F' })
    expect(countOf(followed)).toBeUndefined()
    expect(selectedRow(followed, at('events'))?.id).toBe('2')
    expect(effect).toEqual({ type: 'reload', location: at('events') })
  })

  test('are let go when their page is left', () => {
    expect(countOf(press(after(press(events, 'F'), missed), 'esc'))).toBeUndefined()
  })

  test('are not there on a text, which says how it is held', () => {
    expect(press(enter(alpha, 'log')[0], 'F').notice?.text).toContain('scroll up to pause a text')
  })
})

describe('the filter', () => {
  test('is set by an action, and the server reads for it', () => {
    const events = after(enter(alpha, 'events')[0], rows('events', [row('1')]))
    const outcome = { filter: 'type:bead.closed' }
    const [filtered, effect] = step(events, { type: 'outcome', outcome, location: at('events') })
    expect(viewOf(filtered, at('events')).filter).toBe('type:bead.closed')
    expect(effect).toEqual({ type: 'reload', location: at('events') })
  })

  const state = after(alpha, rows('sessions', [row('worker-1'), row('mayor')]))
  const ids = (filtered: typeof state) => shownRows(filtered, at('sessions')).map(({ id }) => id)

  test('narrows rows while it is typed, stays after enter, and is cleared by esc before the page is left', () => {
    const typed = press(state, '/', ...'work')
    expect(ids(typed)).toEqual(['worker-1'])
    const entered = press(typed, 'enter')
    expect(ids(entered)).toEqual(['worker-1'])
    expect(ids(press(entered, 'esc'))).toEqual(['worker-1', 'mayor'])
    expect(here(press(entered, 'esc')).page).toBe('overview')
  })

  test('reads on for rows with its text, or for those that are not bookkeeping, until the screen is full or there are none', () => {
    const location = at('sessions')
    const sessions = enter(alpha, 'sessions')[0]
    const read = (count: number, hasMore: boolean) =>
      rows('sessions', [...Array.from({ length: count }, (_, n) => row(`a-${n}`)), row('zebra')], { hasMore })
    const filtered = press(after(sessions, read(199, true)), '/', ...'zebr')
    expect(step(filtered, { type: 'key', key: 'a' })[1]).toEqual({ type: 'more', location })
    expect(step(filtered, read(399, true))[1]).toEqual({ type: 'more', location })
    expect(step(filtered, read(399, false))[1]).toBeUndefined()
    expect(step(filtered, read(4_999, true))[1]).toBeUndefined()
    expect(step(press(filtered, 'esc'), read(399, true))[1]).toBeUndefined()
    const hidden = Array.from({ length: 200 }, (_, n) => row(`s-${n}`, { isSystem: true }))
    expect(step(sessions, rows('sessions', hidden, { hasMore: true }))[1]).toEqual({ type: 'more', location })
  })

  test('takes keys that mean something elsewhere as text', () => {
    expect(viewOf(press(state, '/', 'q', '?', 'x', 'backspace'), at('sessions')).filter).toBe('q?')
  })

  test('is sent to the server on a page that is searched there', () => {
    const sorted = press(enter(alpha, 'beads')[0], 'o')
    expect(sorted.notice?.text).toBe('in the order of newest')
    expect(step(enter(alpha, 'beads')[0], { type: 'key', key: 'o' })[1]).toEqual({
      type: 'reload',
      location: at('beads'),
    })
  })
})

describe('actions', () => {
  const kill = action('x', 'kill', { confirm: 'Kill a-1?' })
  const state = after(
    alpha,
    rows('sessions', [
      row('a-1', { actions: () => [kill, action('s', 'send', { fields: [{ name: 'message', title: 'message' }] })] }),
      row('a-2', { actions: () => [action('x', 'kill', { disabled: 'a-2 does not run' })] }),
    ]),
  )

  test('one that hurts is asked once, names what it hits, and hits that, whatever came in between', () => {
    const asked = press(state, 'x')
    expect(asked.overlay).toMatchObject({ kind: 'confirm', run: { chosen: { row: 'a-1' } } })
    const changed = after(asked, rows('sessions', [row('a-9')]))
    const [done, effect] = step(changed, { type: 'key', key: 'y' })
    expect(effect).toMatchObject({ type: 'run', chosen: { row: 'a-1', action: kill } })
    expect(done.overlay).toBeUndefined()
    expect(step(asked, { type: 'key', key: 'enter' })[1]).toBeUndefined()
  })

  test('a command hits what was selected when it was begun, also from the palette', () => {
    const gone = rows('sessions', [row('a-2', { actions: () => [kill] })])
    const typed = after(press(state, ':', ...'kill'), gone)
    expect(press(typed, 'enter').overlay).toMatchObject({ kind: 'confirm', run: { chosen: { row: 'a-1' } } })
    const found = after(press(state, 'ctrl+p', ...'kill'), gone)
    expect(press(found, 'enter').overlay).toMatchObject({ kind: 'confirm', run: { chosen: { row: 'a-1' } } })
  })

  test('one that was not answered is not begun again, and is waited for aloud', () => {
    const [begun, run] = step(press(state, 'x'), { type: 'key', key: 'y' })
    if (run?.type !== 'run') throw new Error('nothing is done')
    const awaited = after(begun, { type: 'awaited', name: 'kill' })
    expect(awaited.notice?.text).toBe('kill: the supervisor has not answered yet …')
    const [again, effect] = step(press(awaited, 'x'), { type: 'key', key: 'y' })
    expect(effect).toBeUndefined()
    expect(again.notice?.text).toBe('kill a-1 is under way: the supervisor has not answered yet')
    const answered = after(again, { type: 'ended', run, isDone: true })
    expect(step(press(answered, 'x'), { type: 'key', key: 'y' })[1]).toMatchObject({ type: 'run' })
  })

  test('one that is not confirmed says that nothing was done', () => {
    for (const key of ['n', 'esc']) expect(press(state, 'x', key).notice?.text).toBe('kill: nothing was done')
  })

  test('a key without effect is reported', () => {
    expect(press(state, '7').notice).toEqual({ text: '7 does nothing here; ? lists what does', isBad: false })
    expect(press(enter(alpha, 'beads')[0], '7').notice?.text).toBe('the page is still being read; press it again')
  })

  test('one that cannot be done says why', () => {
    expect(press(state, 'down', 'x').notice).toEqual({ text: 'a-2 does not run', isBad: true })
  })

  test('a form asks for its fields; enter continues, and esc leaves everything unchanged', () => {
    const form = press(state, 's')
    expect(form.overlay).toMatchObject({ kind: 'form', at: 0 })
    expect(press(form, 'enter').notice).toEqual({ text: 'message is needed', isBad: true })
    const [, effect] = step(press(form, ...'go on'), { type: 'key', key: 'enter' })
    expect(effect).toMatchObject({ type: 'run', values: { message: 'go on' } })
    expect(press(form, 'esc').overlay).toBeUndefined()
  })

  test('the text of a failed action stays for correction until the next action', () => {
    const [sent, run] = step(press(state, 's', ...'go on'), { type: 'key', key: 'enter' })
    if (run?.type !== 'run') throw new Error('nothing is done')
    const refused = (on: typeof state) =>
      after(on, { type: 'notice', text: 'send: a-1 is closed', isBad: true }, { type: 'ended', run, isDone: false })
    expect(refused(sent)).toMatchObject({ notice: { text: 'send: a-1 is closed' }, overlay: { kind: 'form', at: 0 } })
    expect(step(refused(sent), { type: 'key', key: 'enter' })[1]).toMatchObject({ values: { message: 'go on' } })
    expect(refused(press(sent, ':')).overlay).toBeUndefined()
    expect(refused(enter(sent, 'mail')[0]).overlay).toBeUndefined()
    expect(after(sent, { type: 'ended', run, isDone: true }).overlay).toBeUndefined()
  })

  test('are entered by name as well, with their words', () => {
    expect(enter(state, 'send go  on')[1]).toMatchObject({ type: 'run', values: { message: 'go on' } })
    expect(enter(state, 'kill')[0].overlay).toMatchObject({ kind: 'confirm' })
    expect(enter(state, 'sling a/b write it down')[1]).toMatchObject({
      values: { agent: 'a/b', title: 'write it down' },
    })
    expect(enter(state, 'frobnicate')[0].notice).toEqual({
      text: 'there is no command frobnicate here; ? lists all commands',
      isBad: true,
    })
  })

  test('an action can be undone once', () => {
    const undo = { name: 'wake', run: async () => ({}) }
    const done = after(state, { type: 'outcome', outcome: { text: 'suspended', undo }, location: at('sessions') })
    expect(done.notice).toEqual({ text: 'suspended', isBad: false })
    const [next, effect] = step(done, { type: 'key', key: 'z' })
    expect(effect).toMatchObject({ type: 'undo', undo: { undo, location: at('sessions') } })
    expect(press(next, 'z').notice?.text).toBe('there is nothing to undo')
  })
})

describe('the command line', () => {
  test('completes what it can, and shows what may follow', () => {
    const state = after(alpha, rows('sessions', [row('al-12'), row('al-13')]))
    expect(press(state, ':', ...'sess', 'tab').prompt?.edit.text).toBe('session')
    expect(press(state, ':', ...'session a', 'tab').prompt?.edit.text).toBe('session al-1')
    expect(press(state, ':', ...'session al-13', 'enter').path.at(-1)).toEqual(at('session', 'al-13'))
  })

  test('has a history, and edits with the keys of a shell', () => {
    const state = enter(enter(alpha, 'sessions')[0], 'beads')[0]
    expect(press(state, ':', 'up', 'up').prompt?.edit.text).toBe('sessions')
    expect(press(state, ':', 'up', 'up', 'down').prompt?.edit.text).toBe('beads')
    expect(press(state, ':', ...'fly away', 'ctrl+w', 'home', 'g').prompt?.edit).toEqual({ text: 'gfly ', caret: 1 })
  })

  test('opens no city that does not exist, once the cities are known', () => {
    const known = after(alpha, { type: 'cities', names: ['alpha', 'beta'] })
    expect(enter(known, 'city gamma')[0].notice).toEqual({ text: 'there is no city gamma', isBad: true })
    expect(press(known, ':', ...'city b', 'tab').prompt?.edit.text).toBe('city beta ')
  })

  test('says what a page about something needs', () => {
    expect(enter(alpha, 'bead')[0].notice).toEqual({ text: ':bead takes the id of a bead', isBad: true })
    expect(enter(initialState(0, undefined), 'beads')[0].notice).toEqual({
      text: 'there is no city yet: gc init FOLDER makes one',
      isBad: true,
    })
  })
})

describe('a page that is named in the list of cities', () => {
  const named = (state: typeof alpha): string => here(enter(state, 'beads')[0]).city
  const known = rows('cities', [row('alpha'), row('beta'), row('gamma')])
  const beta = after(enter(alpha, 'city beta')[0], known)

  test('is that of the city that was left last', () => {
    expect(named(enter(beta, 'cities')[0])).toBe('beta')
  })

  test('so is what is done by its name', () => {
    const [, effect] = enter(press(enter(beta, 'cities')[0], 'G'), 'search zebra')
    expect(effect).toMatchObject({ type: 'run', chosen: { location: { city: 'gamma' } }, values: { words: 'zebra' } })
  })

  test('is that of the city that was chosen there', () => {
    expect(named(press(enter(beta, 'cities')[0], 'G'))).toBe('gamma')
    expect(named(after(cities, known))).toBe('alpha')
  })
})

describe('a text', () => {
  const lines = Array.from({ length: 50 }, (_, at) => ({ text: `line ${at}` }))
  const opened = after(enter(alpha, 'bead al-1')[0], {
    ...{ type: 'text', location: at('bead', 'al-1'), content: { lines }, now: 1 },
  })

  test('scrolls to its last line and back', () => {
    const scroll = (state: typeof opened) => viewOf(state, at('bead', 'al-1')).scroll
    expect(scroll(press(opened, 'down', 'down'))).toBe(2)
    expect(scroll(press(opened, 'G'))).toBe(50 - (opened.height - 1))
    expect(scroll(press(opened, 'G', 'g'))).toBe(0)
    const followed = after(enter(alpha, 'session al-1')[0], {
      ...{ type: 'text', location: at('session', 'al-1'), content: { lines }, now: 1 },
    })
    const place = (state: typeof followed) => viewOf(state, at('session', 'al-1')).scroll
    expect([place(followed), place(press(followed, 'g')), place(press(followed, 'g', 'G'))]).toEqual([
      undefined,
      0,
      undefined,
    ])
  })

  const long = 'far '.repeat(40).trim()
  const said = Array.from({ length: 20 }, (_, at) => ({ text: `${at} ${long}` }))
  const talked = after(opened, {
    ...{ type: 'text', location: at('bead', 'al-1'), content: { lines: said, head: [{ text: long }] }, now: 2 },
  })
  const placeOf = (state: typeof opened) => viewOf(state, at('bead', 'al-1')).scroll

  test('is scrolled by the lines that are on the screen, below those that stay', () => {
    const head = 2
    expect(placeOf(press(talked, 'G'))).toBe(20 * 3 - (talked.height - 1 - head))
    expect(placeOf(press(talked, 'pagedown'))).toBe(talked.height - 1 - head)
  })

  test('keeps what it shows on a screen of another size', () => {
    const seventh = press(talked, ...Array.from({ length: 21 }, () => 'down'))
    expect(placeOf(seventh)).toBe(7 * 3)
    expect(placeOf(after(seventh, { type: 'size', columns: 400, rows: 10 }))).toBe(7)
  })
})

test('a lost connection keeps its moment until it is back', () => {
  const lost = after(alpha, { type: 'connection', live: true, now: 10 }, { type: 'connection', live: false, now: 1000 })
  expect(after(lost, { type: 'tick', now: 61_000, unanswered: undefined, happened: 0 }).connection).toEqual({
    live: false,
    since: 1000,
  })
})
