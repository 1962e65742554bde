import { expect, test } from 'bun:test'
import { changePages } from '../../client/views/change.ts'
import type { Reach, TablePage } from '../../client/views/page.ts'
import { Dashboard } from '../../tui/dashboard.ts'
import { areasOf } from '../../tui/state/layout.ts'
import { initialState, viewOf } from '../../tui/state/state.ts'
import { reachTo } from './reach.ts'

const comment = {
  ...{ person: 'ann', commit: 'a', side: 'new', quoted: 'q', created_at: '2026-11-28T09:00:00Z' },
  ...{ path: 'src/a.ts', line: 2, end_line: 2 },
}
const CHANGE = {
  ...{ id: 'ch-1', state: 'ready', rig: 'shop', agent: 'shop/worker', session: 's-1', target: 'main', round: 2 },
  ...{ base: 'b'.repeat(40), head: 'c'.repeat(40), files: 2, added: 2, removed: 1, title: 'Count items' },
  changed_files: [
    {
      path: 'src/a.ts',
      old_path: 'src/old.ts',
      kind: 'renamed',
      added: 1,
      removed: 1,
      reasons: ['removes a condition'],
    },
    { path: 'logo.png', kind: 'binary', folded: 'binary', reasons: [] },
  ],
  comments: [
    { ...comment, n: 1, state: 'draft', text: 'why\nthis?', at: { path: 'src/a.ts', line: 2, end_line: 2 } },
    { ...comment, n: 2, state: 'open', text: 'here', side: 'old', at: { path: 'src/old.ts', line: 2, end_line: 2 } },
    { ...comment, n: 3, state: 'outdated', text: 'gone', reply: 'done', replied_by: 'shop/worker' },
  ],
}
const DIFF = {
  ...{ base: CHANGE.base, head: CHANGE.head },
  files: [
    {
      ...{ path: 'src/a.ts', old_path: 'src/old.ts', kind: 'renamed' },
      hunks: [
        {
          ...{ old_start: 1, new_start: 1, heading: 'total()' },
          lines: [
            { kind: ' ', old: 1, new: 1, text: 'same' },
            { kind: '-', old: 2, text: '\told \u001b[31m\u202e', words: [[1, 4]] },
            { kind: '+', new: 2, text: '\tnew\r', words: [[1, 4]] },
          ],
        },
      ],
    },
  ],
}

/** The pages of a change, and what they asked the server for. */
async function opened(use: (table: (name: string) => TablePage, reach: Reach, asked: string[]) => Promise<void>) {
  const asked: string[] = []
  await using server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const url = new URL(request.url)
      const path = url.pathname.split('/').slice(4).join('/')
      asked.push([request.method, path, url.search, await request.text()].filter(Boolean).join(' '))
      return Response.json(path.endsWith('/diff') ? DIFF : CHANGE, { headers: { 'X-GC-Request-Id': 'r' } })
    },
  })
  const table = (name: string): TablePage => {
    const page = changePages.find((each) => each.name === name)
    if (page?.kind !== 'table') throw new Error(`${name} is not a table`)
    return page
  }
  await use(table, reachTo(`http://127.0.0.1:${server.port}`, 'ch-1'), asked)
}

const QUERY = { cursor: undefined, filter: '', sort: undefined }
const at = { entry: 'src/a.ts', text: '' }

test('the files of a change are listed, those with reasons marked, and the look is recorded once', async () => {
  await opened(async (table, reach, asked) => {
    const { items, head } = await table('change-files').load(reach, QUERY)
    expect(items.map(({ cells }) => cells.map(({ text }) => text))).toEqual([
      ['!', 'src/a.ts', '+1 -1'],
      ['', 'logo.png', 'binary'],
    ])
    expect(head).toEqual([])
    await table('change-files').load(reach, QUERY)
    expect(asked.filter((each) => each.startsWith('POST'))).toEqual(['POST change/ch-1/look'])
  })
})

test('the lines of a file show what is hidden in them, the words that changed, and the comments on them', async () => {
  await opened(async (table, reach) => {
    const { items, head } = await table('change-lines').load({ ...reach, at }, QUERY)
    expect(head?.map(({ text }) => text)).toEqual([
      ...['Count items · shop/worker', 'ready · round 2 · 2 files · +2 -1'],
      ...['src/a.ts', 'It removes a condition.'],
    ])
    expect(
      items.map(({ cells }) =>
        cells
          .map(({ text = '' }) => text.trim())
          .join(' ')
          .trim(),
      ),
    ).toEqual([
      'renamed from src/old.ts',
      '@@ 1 → 1 @@ total()',
      '1  same'.replace('  ', ' '),
      '2 -    old \\u001b[31m\\u202e',
      '» ann: here',
      '2 +    new␍',
      '» ann (draft): why',
      'this?',
      '» ann (outdated): gone',
      '» shop/worker: done',
    ])
    expect(items.map(({ mark }) => mark)[3]).toBe('hunk')
    expect(items[3]?.cells[1]?.marks).toEqual([[5, 8]])
    const { items: binary } = await table('change-lines').load(reach, QUERY)
    expect(binary).toEqual([])
  })
})

test('a comment is drafted on the side of its line, and only drafts are edited', async () => {
  await opened(async (table, reach, asked) => {
    const { items } = await table('change-lines').load({ ...reach, at }, QUERY)
    const names = (row: number) => items[row]?.actions().map(({ name }) => name)
    expect([names(1), names(3), names(4), names(6)]).toEqual([[], ['comment'], [], ['edit', 'remove']])
    for (const row of [3, 5]) await items[row]?.actions()[0]?.run(reach, { text: 'hm' })
    expect(
      asked.filter((each) => each.startsWith('POST')).map((each) => JSON.parse(each.slice(each.indexOf('{')))),
    ).toEqual([
      { path: 'src/old.ts', side: 'old', line: 2, commit: CHANGE.base, text: 'hm' },
      { path: 'src/a.ts', side: 'new', line: 2, commit: CHANGE.head, text: 'hm' },
    ])
  })
})

test('a change is approved at the commit that is shown, and what hurts is asked first', async () => {
  await opened(async (table, reach, asked) => {
    const { actions = [] } = await table('change-files').load(reach, QUERY)
    const named = (name: string) => actions.find((action) => action.name === name)
    expect(named('discard')?.confirm).toContain('Discard ch-1, "Count items", by shop/worker?')
    expect(named('approve')?.confirm).toContain('2 files, +2 -1, commit cccccccccccc')
    expect(named('new')?.disabled).toBeUndefined()
    await named('approve')?.run(reach, {})
    await named('ask')?.run(reach, { text: '' })
    expect(asked.slice(-2)).toEqual([`POST change/ch-1/approve {"head":"${CHANGE.head}"}`, 'POST change/ch-1/ask {}'])
  })
})

test('reads new changes since the previous round', async () => {
  await opened(async (table, reach, asked) => {
    const { items } = await table('new-files').load(reach, QUERY)
    expect(items.map(({ cells }) => cells.map(({ text }) => text))).toEqual([['!', 'src/a.ts', '+1 -1']])
    expect(asked).toContain('GET change/ch-1/diff ?since=1')
  })
})

test('the lines of a file are read once a person stays on it, and not of those passed on the way', async () => {
  const changed_files = ['a.ts', 'b.ts', 'c.ts'].map((path) => ({ ...CHANGE.changed_files[0], path }))
  const asked: string[] = []
  await using server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch: ({ url }) => {
      const { pathname, searchParams } = new URL(url)
      if (pathname.endsWith('/stream')) return new Response(silence(), { headers: SSE })
      if (pathname.endsWith('/attention')) return Response.json({ items: [] }, { headers: ANSWER })
      if (pathname.endsWith('/diff')) asked.push(searchParams.get('file') ?? '')
      return Response.json(pathname.endsWith('/diff') ? DIFF : { ...CHANGE, changed_files }, { headers: ANSWER })
    },
  })
  const location = { page: 'change', city: 'town', subject: 'ch-1' }
  const reach = reachTo(`http://127.0.0.1:${server.port}`)
  const state = { ...initialState(0, 'town'), path: [location] }
  using dashboard = new Dashboard({ ...reach, now: Date.now }, state, SURFACE)
  dashboard.start()
  const shown = () => areasOf(dashboard.state).map((area) => viewOf(dashboard.state, area.location).rows.length)
  await until(() => (shown()[1] ?? 0) > 0)
  for (const key of ['j', 'j']) dashboard.dispatch({ type: 'key', key })
  expect(shown()).toEqual([3, 0])
  await until(() => (shown()[1] ?? 0) > 0)
  expect(asked).toEqual(['a.ts', 'c.ts'])
})

const ANSWER = { 'X-GC-Request-Id': 'r' }
const SSE = { ...ANSWER, 'Content-Type': 'text/event-stream' }
/** A stream without events. */
const silence = () => new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from(':\n\n')) })
const nothing = (): void => {}
const SURFACE = {
  ...{ changed: nothing, exit: nothing, copy: nothing, alert: nothing, setMouse: nothing, redraw: nothing },
  ...{ suspend: nothing, attach: async () => '' },
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(5)
}
