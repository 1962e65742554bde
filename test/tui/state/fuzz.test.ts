import { expect, test } from 'bun:test'
import type { Row } from '../../../client/views/page.ts'
import { pageOf, pages } from '../../../client/views/pages.ts'
import { bindings } from '../../../tui/state/keys.ts'
import { areasOf } from '../../../tui/state/layout.ts'
import { focused, panelsOf } from '../../../tui/state/navigation.ts'
import { type Message, step } from '../../../tui/state/reducer.ts'
import { textWindow } from '../../../tui/state/scroll.ts'
import { selectedIndex, shownRows } from '../../../tui/state/selection.ts'
import { here, initialState, type State, viewKey, viewOf } from '../../../tui/state/state.ts'
import { SEED } from '../../support/seed.ts'
import { SeededRandom } from '../../work/model/random.ts'
import { action, at, frame, inside, row } from './world.ts'

const STEPS = 25_000
const TYPED = [...'abcxyzSXKRpnroe 19', 'é', '宽', '👩‍💻', 'backspace', 'ctrl+w', 'ctrl+u', 'ctrl+a', 'ctrl+e', 'y']
const KEYS = [...bindings.flatMap(({ keys }) => keys), ...TYPED]
const COMMANDS = [
  '',
  'quit',
  'city',
  'city beta',
  'sling',
  'sling a b',
  ...pages.map(({ name, about }) => (about === undefined ? name : `${name} x-1`)),
  'bead',
  'kill',
]

const random = new SeededRandom(SEED)

/** A row with whatever a server may send. */
function anyRow(): Row {
  const id = `x-${Math.floor(random.next() * 40)}`
  return row(id, {
    isSystem: random.oneIn(5),
    opens: random.oneIn(2) ? at(random.pick(pages).name, id) : undefined,
    cells: random.oneIn(2)
      ? Array.from({ length: 10 }, () => ({ text: id }))
      : random.sample([{ text: '\x1b[31mred' }, { since: 'never' }, { text: '宽宽' }, {}], 4),
    actions: () => [
      action('x', 'kill', { confirm: `Kill ${id}?` }),
      action('e', 'edit', { fields: [{ name: 'title', title: 'title', isOptional: random.oneIn(2) }] }),
      action('p', 'park', { disabled: 'it is parked already' }),
    ],
  })
}

const anyRows = (): readonly Row[] => {
  const all = random.sample(Array.from({ length: 30 }, anyRow), 30)
  return [...new Map(all.map((each) => [each.id, each])).values()]
}

/** Responses of a full city's server to the shown requests. */
const answersTo = (state: State): Message[] =>
  panelsOf(state).flatMap((location): Message[] => {
    const found = anyRows()
    const lines = found.map(({ id }) => ({ text: id }))
    return [
      { type: 'rows', location, rows: found, total: 90, hasMore: true, now: 1 },
      { type: 'text', location, content: { lines }, now: 1 },
    ]
  })

function anyMessage(state: State): Message {
  const location = random.oneIn(4) ? at(random.pick(pages).name) : random.pick(panelsOf(state))
  const now = Math.floor(random.next() * 1e6)
  const sampled = anyRows()
  const messages: Message[] = [
    { type: 'rows', location, rows: sampled, total: random.oneIn(2) ? 90 : undefined, hasMore: random.oneIn(2), now },
    { type: 'text', location, content: { lines: sampled.map(({ id }) => ({ text: id })) }, now },
    { type: 'failed', location, error: 'it broke' },
    { type: 'connection', live: random.oneIn(2), now },
    { type: 'cities', names: ['alpha', 'beta'] },
    { type: 'size', columns: Math.floor(random.next() * 220), rows: Math.floor(random.next() * 70) },
    {
      type: 'outcome',
      location,
      outcome: { text: 'done', ...(random.oneIn(3) && { opens: at(random.pick(pages).name, 'x-1') }) },
    },
    { type: 'tick', now, unanswered: random.oneIn(4) ? now - 5_000 : undefined, happened: 3 },
    { type: 'paste', text: random.pick(['x', '\x1b[31mred\n\tblue', '宽'.repeat(30)]) },
    {
      type: 'found',
      city: 'alpha',
      known: [{ kind: 'bead', id: 'al-1', text: 'al-1 · paint', location: at('bead', 'al-1') }],
    },
    {
      type: 'mouse',
      action: random.pick(['press', 'wheel-up', 'wheel-down']),
      x: Math.floor(random.next() * 220),
      y: Math.floor(random.next() * 70),
    },
  ]
  return random.pick(messages)
}

/** Lines that a person sees between the first and the last. */
const body = (state: State): string =>
  inside(frame(state, state.width, state.height + 2).slice(1, -1))
    .join('\n')
    .trim()

/** Invariants after every key and event. */
function check(state: State): void {
  const location = focused(state)
  const rows = shownRows(state, location)
  const index = selectedIndex(state, location)
  const { scroll } = viewOf(state, location)
  const windows = areasOf(state).map((area) => textWindow(state, area))
  const holds =
    state.path.length > 0 &&
    pageOf(here(state)) !== undefined &&
    index >= 0 &&
    index < Math.max(1, rows.length) &&
    (scroll === undefined || scroll >= 0) &&
    windows.every(({ first, lines }) => first >= 0 && first <= lines.length)
  if (!holds) throw new Error(`the state is wrong: ${JSON.stringify({ path: state.path, index, scroll })}`)
}

test('no keys and no events, in whatever order, break the dashboard or leave one of its pages empty', () => {
  let state = initialState(0, 'alpha')
  let effects = 0
  const frames = new Map(pages.map(({ name }) => [name, 0]))
  for (let n = 0; n < STEPS; n++) {
    const before = here(state)
    const isCommand = random.oneIn(60)
    const keys = isCommand ? ['esc', 'esc', ':', ...random.pick(COMMANDS), 'enter'] : [random.pick(KEYS)]
    const messages = random.oneIn(4) ? [anyMessage(state)] : keys.map((key): Message => ({ type: 'key', key }))
    for (const message of messages) {
      const [next, effect] = step(state, message)
      if (effect) effects++
      state = next
    }
    const isOpened = viewKey(here(state)) !== viewKey(before)
    if (isOpened) state = answersTo(state).reduce((filled, answer) => step(filled, answer)[0], state)
    check(state)
    const isWanted = isOpened ? frames.get(here(state).page) === 0 || random.oneIn(20) : n % 1000 === 0
    if (isWanted && state.width >= 20 && state.height >= 3) {
      const text = body(state)
      if (text === '') throw new Error(`the page is empty: ${JSON.stringify({ ...here(state), ...state.overlay })}`)
      const { page } = here(state)
      if (state.overlay === undefined && /x-\d/.test(text)) frames.set(page, (frames.get(page) ?? 0) + 1)
    }
    if (state.path.length > 50) state = { ...state, path: state.path.slice(0, 2) }
  }
  expect(effects).toBeGreaterThan(100)
  const neverFull = [...frames].flatMap(([page, count]) => (count === 0 ? [page] : []))
  expect(neverFull).toEqual([])
}, 60_000)
