import { describe, expect, test } from 'bun:test'
import { beadsPage } from '../../client/views/beads.ts'
import type { Location, Row, TextContent } from '../../client/views/page.ts'
import { displayWidth, formatTime, withLocalTimes } from '../../src/client/text.ts'
import { columnWidths, shortenName } from '../../tui/components/columns.ts'
import type { State } from '../../tui/state/state.ts'
import { action, after, alpha, at, enter, frame, inside, press, row, rows } from './state/world.ts'

const SIZES = [
  [80, 24],
  [120, 40],
  [200, 60],
] as const

const bead = (id: string, title: string, more: Partial<Row> = {}): Row =>
  row(id, {
    cells: [{ text: id }, { text: 'open' }, { text: title }, { text: 'task' }, {}, {}, {}, { since: 'x' }],
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

  test('says how long the supervisor has left a request without an answer', () => {
    const live = after(work, { type: 'connection', live: true, now: 1 })
    const asked = (now: number) => frame(after(live, { type: 'tick', now, unanswered: 1_000, happened: 0 }))[0]
    expect(asked(2_000)).toMatch(/live *$/)
    expect(asked(8_000)).toMatch(/no answer for 7s · data 7s old *$/)
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

describe('a text', () => {
  const page = enter(alpha, 'bead al-1')[0]
  const read = (content: TextContent): State =>
    after(page, { type: 'text', location: at('bead', 'al-1'), content, now: 1 })
  const long = 'make sure that the bridge is painted on both of its sides before the rain of the autumn comes'

  test('continues below itself where a line is too long, as far in as it says', () => {
    const lines = frame(read({ lines: [{ text: `  ${long}` }, { text: `warning  ${long}`, hang: 9 }] }))
    expect(lines.slice(2, 6).map((line) => line.trimEnd())).toEqual([
      '   make sure that the bridge is painted on both of its sides before the rain of',
      '   the autumn comes',
      ' warning  make sure that the bridge is painted on both of its sides before the',
      '          rain of the autumn comes',
    ])
  })

  test('is cut nowhere: long words, wide characters and what stays above it are all there', () => {
    const word = Array.from({ length: 60 }, (_, at) => `/${at}宽`).join('')
    const drawn = frame(read({ head: [{ text: long }], lines: [{ text: word }] }))
    const joined = drawn.map((line) => line.trim()).join('')
    expect(joined).toContain(word)
    expect(
      drawn
        .slice(2, 4)
        .map((line) => line.trim())
        .join(' '),
    ).toBe(long)
  })

  test('says what it is filtered by, and how much of it that leaves', () => {
    const plan = read({ lines: [{ text: 'paint the bridge' }, { text: 'mend the fence' }] })
    const filtered = (text: string) => frame(press(plan, '/', ...text, 'enter')).map((line) => line.trim())
    expect(filtered('fence').slice(2, 5)).toEqual([
      '"fence" · 1 of 2 lines · esc clears the filter',
      'mend the fence',
      '',
    ])
    expect(filtered('tower').slice(2, 4)).toEqual(['"tower" · 0 of 2 lines · esc clears the filter', ''])
  })

  test('shows a screen unchanged, with all of its columns', () => {
    const row = '│'.padEnd(79, 'x')
    const lines = frame(
      read({
        lines: [
          { text: `${row}│`, isPicture: true },
          { text: `${row}xx`, isPicture: true },
        ],
      }),
    )
    expect(lines.slice(2, 4)).toEqual([`${row}│`, `${row}…`])
  })
})

test('confirmations of destructive actions and their results are never cut', () => {
  const title = 'Paint the bridge from the mill to the market on both of its sides'
  const kill = action('x', 'kill', { confirm: `Close al-1 (${title}) and everything below it?` })
  const list = after(enter(alpha, 'beads')[0], rows('beads', [bead('al-1', 'Paint', { actions: () => [kill] })]))
  const lines = inside(frame(press(list, 'x')))
  expect(lines.join(' ')).toContain(`Close al-1 (${title}) and everything below it?`)
  const failed = frame(after(list, { type: 'notice', text: `there is no agent ${title}: ${title}`, isBad: true }))
  expect(failed.length).toBe(24)
  expect(
    failed
      .slice(-2)
      .map((line) => line.trim())
      .join(' '),
  ).toBe(`there is no agent ${title}: ${title}`)
})

test('the last line names enter where it opens something', () => {
  const listed = (opens?: Location) =>
    frame(after(enter(alpha, 'rigs')[0], rows('rigs', [row('mill', { ...(opens && { opens }) })]))).at(-1)
  expect(listed()).not.toContain('enter open')
  expect(listed(at('bead', 'al-1'))).toContain('enter open')
})

test('values cut in columns are shown in full below the rows, for the selected row, if they fit', () => {
  const long = `Paint ${'the long bridge '.repeat(8)}over the river`
  const rows3 = [
    bead('al-1', 'short'),
    bead('al-2', long, { cells: [{ text: 'al-2' }, {}, { text: long }, {}, {}, {}, { text: 'ann' }] }),
  ]
  const work = after(enter(alpha, 'beads')[0], rows('beads', rows3))
  expect(frame(work, 60, 24).join(' ')).not.toContain('over the river')
  const below = inside(frame(press(work, 'down'), 60, 24)).slice(-6, -2)
  expect(below.join(' ')).toContain('over the river')
  expect(below.at(0)).toMatch(/^title {2}Paint the long bridge/)
  const many = Array.from({ length: 40 }, (_, at) => bead(`al-${at}`, long))
  expect(frame(after(enter(alpha, 'beads')[0], rows('beads', many)), 60, 24).at(-3)).toMatch(/^│ {2}al-/)
})

test('the progress of a run is a bar if it fits, and always a count', () => {
  const cells = [{ text: 'r-1' }, { text: 'active' }, { text: 'Paint' }, {}, { text: '3/4', part: 0.75 }]
  const runs = after(enter(alpha, 'runs')[0], rows('runs', [row('r-1', { cells })]))
  expect(frame(runs, 100).join('\n')).toContain('██████░░ 3/4')
  const narrow = frame(runs, 30).join('\n')
  expect(narrow).toContain('3/4')
  expect(narrow).not.toContain('█')
})

test('a time is that of the person, with the day where that is another one', () => {
  const now = new Date(2026, 10, 28, 14, 0, 0).getTime()
  const at = (day: number) => new Date(2026, 10, day, 13, 5, 9).toISOString()
  expect(formatTime(at(28), now)).toBe('13:05:09')
  expect(formatTime(at(27), now)).toBe('2026-11-27 13:05:09')
  expect(formatTime(at(28))).toBe('2026-11-28 13:05:09')
  expect(formatTime('never')).toBe('never')
  expect(withLocalTimes(`used up until ${at(27)}.`)).toBe('used up until 2026-11-27 13:05:09.')
  const event = (seq: string, ts: string) => row(seq, { cells: [{ at: ts }, { text: 'bead.created' }, {}, {}, {}] })
  const events = after(
    { ...enter(alpha, 'events')[0], now },
    {
      type: 'rows',
      location: { page: 'events', city: 'alpha', subject: '' },
      rows: [event('2', at(28)), event('1', at(27))],
      total: 2,
      hasMore: false,
      now,
    },
  )
  const text = frame(events).join('\n')
  expect(text).toMatch(/ 13:05:09 +bead\.created/)
  expect(text).toMatch(/ 11-27 13:05 +bead\.created/)
})

describe('columns', () => {
  const COLUMNS = beadsPage.columns.filter(({ isExtra }) => !isExtra)
  const WIDE = COLUMNS.map(({ width }) => width)

  test('that have nothing to say are left out, and what others have is shown', () => {
    const columns = [
      { title: 'name', width: 8, isName: true },
      { title: 'bead', width: 9, leaves: 1 },
      { title: 'state', width: 6 },
      { title: 'why', width: 4, grows: true },
    ]
    expect(columnWidths(columns, 40, [12, 0, 10, 50])).toEqual([12, undefined, 10, 16])
    expect(columnWidths(columns, 40, [30, 0, 0, 50])).toEqual([18, undefined, 5, 15])
    expect(columnWidths(columns, 40, [8, 3, 6, 2])).toEqual([8, 9, 6, 8])
  })

  test('leave where there is no room, those that matter least first', () => {
    const titles = (room: number) =>
      columnWidths(COLUMNS, room, WIDE).flatMap((width, at) => (width ? [COLUMNS[at]?.title] : []))
    expect(titles(200)).toEqual(['id', 'status', 'title', 'type', 'prio', 'labels', 'who', 'age'])
    expect(titles(86)).not.toContain('type')
    expect(titles(60)).toEqual(['id', 'status', 'title', 'age'])
  })

  test('stand together where there is more room than their texts need, and use all of it where they need it', () => {
    const used = (wanted: readonly number[]) => {
      const widths = columnWidths(COLUMNS, 150, wanted).flatMap((width) => width ?? [])
      return widths.reduce((sum, width) => sum + width + 1, -1)
    }
    const title = COLUMNS.findIndex((column) => column.title === 'title')
    expect(used(WIDE)).toBeLessThan(120)
    expect(used(WIDE.with(title, 41))).toBe(used(WIDE.with(title, 47)))
    expect(used(WIDE.with(title, 300))).toBe(150)
  })

  test('shorten names in their middle', () => {
    expect(shortenName('my-project/worker-17', 12)).toBe('my-pro…er-17')
    expect(displayWidth(shortenName('宽宽宽宽宽宽宽宽', 9))).toBeLessThanOrEqual(9)
    expect(shortenName('mayor', 12)).toBe('mayor')
  })
})

test('the last line names what the keys do, an answer by its words, shortened and without what a terminal obeys', () => {
  const answers = ['Yes', 'No, and tell it what to do differently', 'evil\u001b]0;title\u0007']
  const actions = answers.map((hint, at) => action(String(at + 1), `answer-${at + 1}`, { hint }))
  const last = frame(
    after(enter(alpha, 'beads')[0], rows('beads', [bead('al-1', 'x', { actions: () => actions })])),
    120,
  ).at(-1)
  expect(last).toContain('1 Yes  2 No, and tell…differently  3 evil')
  for (const hidden of ['answer-', '\u001b', '\u0007']) expect(last).not.toContain(hidden)
})
