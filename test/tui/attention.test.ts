import { expect, test } from 'bun:test'
import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import { attentionPage } from '../../tui/pages/attention.ts'
import { here } from '../../tui/state/state.ts'
import { reachTo } from './reach.ts'
import { after, alpha, at, press, rows } from './state/world.ts'

const item = (id: string, kind: string, hour: number, answers: readonly string[] = []): AttentionItem => ({
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
  expect(items[1]?.cells[3]?.text).toBe('1 allow · 2 deny')
  expect(items[3]?.cells[3]?.text).toBe('mend it')
  const waiting = after(alpha, rows('attention', items))
  expect(here(press(waiting, '!'))).toMatchObject({ ...at('question', 'question:1'), city: 'town' })
})
