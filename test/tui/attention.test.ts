import { describe, expect, test } from 'bun:test'
import { attentionPage } from '../../client/views/attention.ts'
import type { Row } from '../../client/views/page.ts'
import { questionPage } from '../../client/views/question.ts'
import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import { columnWidths } from '../../tui/components/columns.ts'
import { step } from '../../tui/state/reducer.ts'
import { here, type State } from '../../tui/state/state.ts'
import { reachTo } from './reach.ts'
import { after, alpha, at, enter, press, rows } from './state/world.ts'

const item = (
  id: string,
  kind: AttentionItem['kind'],
  hour: number,
  answers: readonly string[] = [],
): AttentionItem => ({
  ...{ id, kind, agent: '', since: `2026-01-01T0${hour}:00:00Z`, asks: '', to_do: 'mend it', answers: [...answers] },
})

/** As the server lists them, the longest waiting first. */
const WAITING = [
  item('service:web', 'service', 1),
  item('question:1', 'dialog', 2, ['1', '2']),
  item('parked:to-1', 'parked', 3),
  item('host:7', 'host', 4, ['allow', 'deny']),
  item('question:2', 'permission', 5),
]

test('questions of agents stand before what else waits, and ! goes to them first', async () => {
  const headers = { 'X-GC-Request-Id': 'r' }
  await using server = Bun.serve({ port: 0, fetch: () => Response.json({ items: WAITING, total: 5 }, { headers }) })
  const { items, total } = await attentionPage.load(reachTo(`http://127.0.0.1:${server.port}`), {
    ...{ cursor: undefined, filter: '', sort: undefined },
  })
  expect(items.map(({ id }) => id)).toEqual(['question:1', 'host:7', 'question:2', 'service:web', 'parked:to-1'])
  expect(total).toBe(5)
  expect(items[3]?.cells[0]).toEqual({ text: 'the city' })
  expect(items[1]?.cells[4]?.text).toBe('1 allow · 2 deny')
  expect(items[3]?.cells[4]?.text).toBe('mend it')
  const waiting = after(alpha, rows('attention', items))
  expect(here(press(waiting, '!'))).toMatchObject({ ...at('question', 'question:1'), city: 'town' })
})

test('at 80 columns the list keeps the bead and widens what is asked, and leaves out what to do', () => {
  const { columns } = attentionPage
  const shown = (room: number) => {
    const widths = columnWidths(columns, room, [14, 12, 200, 8, 60, 4])
    return Object.fromEntries(columns.map(({ title }, at) => [title, widths[at]]))
  }
  expect(shown(78)).toEqual({ who: 14, what: 12, asks: 36, bead: 8, 'to do': undefined, age: 4 })
  expect(shown(120)).toMatchObject({ bead: 8, 'to do': expect.any(Number) })
})

const waitingRow = (id: string): Row => ({
  ...{ id, cells: [], isSystem: false, actions: () => [] },
  opens: { page: 'question', city: 'alpha', subject: id },
})

describe('a question', () => {
  const script = Array.from({ length: 60 }, (_, n) => `rm -rf part-${n}`).join('\n')
  const options = Array.from({ length: 12 }, (_, n) => `choice ${n + 1}`)
  const answers = options.map((_, n) => String(n + 1))
  const asked: AttentionItem = {
    ...item('question:7', 'dialog', 1, answers),
    options,
    text: script,
    session_id: 'al-1',
  }

  /** The page of the question, as the server has it, on a screen. */
  async function opened(of: AttentionItem, rows = 24): Promise<State> {
    const headers = { 'X-GC-Request-Id': 'r' }
    await using server = Bun.serve({ port: 0, fetch: () => Response.json({ items: [of], total: 1 }, { headers }) })
    const content = await questionPage.load(reachTo(`http://127.0.0.1:${server.port}`, of.id))
    const there = after(enter(alpha, `question ${of.id}`)[0], { type: 'size', columns: 80, rows })
    return after(there, { type: 'text', location: at('question', of.id), content, now: 1 })
  }

  const answerOf = (state: State, ...keys: string[]) =>
    step(press(state, ...keys.slice(0, -1)), {
      ...{ type: 'key', key: keys.at(-1) ?? '' },
    })

  test('is answered only after it was read to its end, in whatever way that came on the screen', async () => {
    const state = await opened(asked)
    for (const key of ['1', 'r']) {
      expect(answerOf(state, key)[1]).toBeUndefined()
      expect(press(state, key).notice?.text).toStartWith('there is more of it below')
    }
    expect(enter(state, 'answer 12')[1]).toBeUndefined()
    expect(answerOf(state, 'pagedown', '1')[1]).toBeUndefined()
    expect(answerOf(state, 'G', '1')[1]).toMatchObject({ type: 'run', chosen: { action: { help: 'choice 1' } } })
    expect(answerOf(state, 'G', 'g', '9')[1]).toMatchObject({ chosen: { action: { help: 'choice 9' } } })
    expect(answerOf(after(state, { type: 'size', columns: 80, rows: 99 }), '1')[1]).toMatchObject({ type: 'run' })
    expect(answerOf(await opened({ ...asked, text: 'rm part' }), '1')[1]).toMatchObject({ type: 'run' })
    expect(answerOf({ ...(await opened(asked)), isScreenReader: true }, 'j', '1')[1]).toMatchObject({ type: 'run' })
  })

  test('is not read while something lies over it, or a filter leaves a part of it', async () => {
    const state = await opened(asked)
    expect(answerOf(state, '?', 'G', 'esc', '1')[1]).toBeUndefined()
    expect(answerOf(state, '/', 'z', 'z', 'enter', '1')[1]).toBeUndefined()
  })

  test('comes up after the one before is answered, and esc returns to where the person was', async () => {
    const list = after(enter(alpha, 'attention')[0], rows('attention', ['question:7', 'question:8'].map(waitingRow)))
    const answeredAt = (state: State) =>
      after(state, { type: 'outcome', location: here(state), outcome: { text: 'answered', isAnswered: true } })
    const first = press(list, 'enter')
    expect(here(first).subject).toBe('question:7')
    const second = answeredAt(first)
    expect([here(second).subject, second.notice?.text]).toEqual(['question:8', 'answered'])
    expect(here(press(second, 'esc')).page).toBe('attention')
    const last = answeredAt(after(second, rows('attention', [waitingRow('question:8')])))
    expect(here(last).page).toBe('attention')
  })

  test('that several sessions ask names them, and is answered for all after it was read', async () => {
    const equal = ['question:7', 'question:8'].map((id) => ({ ...asked, id, same: 'abc', text: 'npm test' }))
    const bodies: unknown[] = []
    const headers = { 'X-GC-Request-Id': 'r' }
    const left = [{ id: 'question:8', reason: 'it does not ask the same' }]
    await using server = Bun.serve({
      port: 0,
      fetch: async (request) => {
        if (request.method === 'GET') return Response.json({ items: equal, total: 2 }, { headers })
        bodies.push(await request.json())
        return Response.json({ answered: ['question:7'], left, choice: 'choice 2' }, { headers })
      },
    })
    const reach = reachTo(`http://127.0.0.1:${server.port}`, 'question:8')
    const { items } = await attentionPage.load(reach, { cursor: undefined, filter: '', sort: undefined })
    expect(items.map(({ id, cells }) => [id, cells[0]?.text, cells[2]?.text])).toEqual([
      ['question:7', '2 sessions', 'npm test'],
    ])
    const { lines = [], actions = [] } = await questionPage.load(reach)
    expect(lines.map(({ text }) => text)).toContain('2 sessions ask this: al-1, al-1')
    const all = actions.find(({ key }) => key === 'A')
    expect(all?.afterReading).toBe(true)
    const outcome = await all?.run(reach, { answer: 'choice 2' })
    expect(bodies).toEqual([{ ids: ['question:7', 'question:8'], same: 'abc', answer: '2' }])
    expect(outcome).toEqual({
      text: 'answered 1 of 2: choice 2 · question:8: it does not ask the same',
      isAnswered: true,
    })
  })

  test('with more than nine answers is answered by choosing among them', async () => {
    const form = press(await opened(asked), 'G', 'r')
    expect(form.overlay).toMatchObject({ kind: 'form', at: 0 })
    const [, effect] = answerOf(form, 'left', 'enter', 'enter')
    expect(effect).toMatchObject({ type: 'run', values: { answer: 'choice 12', text: '' } })
    expect(press(form, ...'maybe', 'enter').notice?.text).toStartWith('answer is one of choice 1, choice 2')
  })
})
