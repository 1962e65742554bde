import { expect, test } from 'bun:test'
import { timers } from '../../cli/io/timers.ts'
import { Client } from '../../src/client/client.ts'
import { Finder } from '../../tui/data/finder.ts'
import type { Known } from '../../tui/state/state.ts'

const agent = (name: string, more: object = {}) => ({
  name,
  running: false,
  suspended: false,
  state: 'stopped',
  ...more,
})

test('the palette finds agents that run, those that do not, and pools as one', async () => {
  const agents = [
    agent('mayor', { running: true, session: { name: 'al-1' } }),
    agent('clerk'),
    agent('shop/worker-1', { pool: 'shop/worker', session: { name: 'al-2' } }),
    agent('shop/worker-2', { pool: 'shop/worker' }),
  ]
  await using server = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      const items = new URL(url).pathname.endsWith('/agents') ? agents : []
      return Response.json({ items, total: items.length }, { headers: { 'X-GC-Request-Id': 'r' } })
    },
  })
  const found = Promise.withResolvers<readonly Known[]>()
  const client = new Client({ url: `http://127.0.0.1:${server.port}`, token: undefined })
  const finder = new Finder({
    ...{ client, timers },
    dispatch: (message) => message.type === 'found' && found.resolve(message.known),
  })
  finder.find('alpha', '')
  expect(await found.promise).toEqual(
    [
      ['mayor', 'session', 'al-1'],
      ['clerk', 'agent', 'clerk'],
      ['shop/worker', 'pool', 'shop/worker'],
    ].map(([text = '', page = '', subject = '']) => ({
      ...{ kind: 'agent', id: text, text },
      location: { page, city: 'alpha', subject },
    })),
  )
})
