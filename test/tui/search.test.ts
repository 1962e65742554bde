import { describe, expect, test } from 'bun:test'
import { timers } from '../../cli/io/timers.ts'
import { conversationOf, type Message } from '../../client/views/entries.ts'
import { searchPage } from '../../client/views/search.ts'
import { Client } from '../../src/client/client.ts'
import { here, viewOf } from '../../tui/state/state.ts'
import { after, alpha, at, enter, press } from './state/world.ts'

/** A supervisor that answers searches with these pages, one after the other. */
function searched(...pages: readonly object[]) {
  const asked: URLSearchParams[] = []
  const server = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      asked.push(new URL(url).searchParams)
      return Response.json(pages[asked.length - 1] ?? { items: [], searched: 0 }, {
        headers: { 'X-GC-Request-Id': 'r' },
      })
    },
  })
  const client = new Client({ url: `http://127.0.0.1:${server.port}`, token: undefined })
  const machine = { diagnose: async () => [], async *followLog() {} }
  const reach = { client, machine, timers, city: client.city('alpha'), subject: 'zebra crossing' }
  const load = (cursor?: string) => searchPage.load(reach, { cursor, filter: '', sort: undefined })
  return { asked, load, [Symbol.asyncDispose]: () => server.stop(true) }
}

const match = {
  session: 'al-3',
  session_name: 'bob',
  template: 'clerk',
  entry: 'e-2',
  role: 'tool',
  excerpt: 'a zebra',
}

describe('the search over what sessions said', () => {
  test('is entered with its words, and opens the conversation at what was found', async () => {
    const [, effect] = enter(alpha, 'search zebra crossing')
    expect(effect).toMatchObject({ type: 'run', values: { words: 'zebra crossing' } })
    await using server = searched({ items: [match], searched: 3 })
    const { items, next } = await server.load()
    expect(items.map(({ opens }) => opens)).toEqual([
      { page: 'transcript', city: 'alpha', subject: 'al-3', at: { entry: 'e-2', text: 'a zebra' } },
    ])
    expect(next).toBeUndefined()
    expect(server.asked.map((query) => query.get('q'))).toEqual(['zebra crossing'])
  })

  test('continues on its own past conversations without the words, and later from where it was', async () => {
    await using server = searched(
      { items: [], searched: 20, next_cursor: 'c-1' },
      { items: [match], searched: 20, next_cursor: 'c-2' },
    )
    const { items, next, head } = await server.load()
    expect([items.length, next]).toEqual([1, 'c-2'])
    expect(head?.map(({ text }) => text)).toEqual(['searched 40 conversations; further down, older ones'])
    expect((await server.load(next)).items).toEqual([])
    expect(server.asked.map((query) => query.get('cursor'))).toEqual([null, 'c-1', 'c-2'])
  })

  test('says what it takes when its words are left out', () => {
    expect(enter(alpha, 'search')[0].overlay).toMatchObject({ kind: 'form' })
    const [, effect] = enter(press(alpha, 'esc'), 'search x')
    expect(effect).toMatchObject({ type: 'run', chosen: { location: { city: 'alpha' } }, values: { words: 'x' } })
  })
})

describe('a conversation', () => {
  const rows = Array.from({ length: 40 }, (_, row) => `row ${row}`).join('\n')
  const messages: Message[] = [
    { role: 'user', id: 'e-1', status: 'final', blocks: [{ type: 'text', text: 'Where is\nthe zebra?' }] },
    {
      ...{ role: 'assistant', id: 'e-2', status: 'final' },
      blocks: [
        { type: 'thinking', thinking: 'a zebra' },
        { type: 'tool_use', name: 'Bash', input: { kind: 'command', command: 'ls stable' } },
      ],
    },
    { role: 'tool', id: 'e-3', status: 'final', blocks: [{ type: 'tool_result', content: rows }] },
  ]
  const textOf = (entry: string | undefined, text: string) => {
    const { lines, found } = conversationOf(messages, { entry, text })
    return found === undefined ? undefined : lines[found]?.text
  }

  test('has what tools were given, and the beginning of what they returned', () => {
    const texts = conversationOf(messages).lines.map(({ text }) => text)
    expect(texts.slice(0, 8)).toEqual([
      'user',
      '  Where is',
      '  the zebra?',
      '',
      'assistant',
      '  → Bash',
      '    ls stable',
      '',
    ])
    expect(texts.slice(-3)).toEqual(['  row 11', '  … 28 more lines', ''])
  })

  test('stands at the line that was found, which is shown however far down in its entry it is', () => {
    expect(textOf('e-1', 'the zebra?')).toBe('  the zebra?')
    expect(textOf('e-3', '…row 37')).toBe('  row 37')
    expect(textOf(undefined, 'ls stable')).toBe('    ls stable')
    expect(textOf('e-3', 'not so')).toBe('tool')
    expect(textOf('e-9', 'the zebra?')).toBeUndefined()
  })

  test('is scrolled there when it is opened, and stays where the person goes', () => {
    const place = { ...at('transcript', 'al-3'), at: { entry: 'e-1', text: 'zebra' } }
    const lines = Array.from({ length: 90 }, (_, line) => ({ text: `line ${line}` }))
    const read = { type: 'text', location: place, content: { lines, first: 40 }, now: 1 } as const
    const opened = after(alpha, { type: 'outcome', outcome: { opens: place }, location: at('search') }, read)
    expect(here(opened)).toEqual(place)
    expect(viewOf(opened, place).scroll).toBe(40)
    expect(viewOf(after(press(opened, 'up', 'up'), read), place).scroll).toBe(38)
    expect(viewOf(opened, at('transcript', 'al-3')).scroll).toBeUndefined()
  })
})
