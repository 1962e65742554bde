import { describe, expect, test } from 'bun:test'
import { command, query } from '../../../src/core/store/index.ts'
import { type Json, openNetwork, type TestNetwork } from '../network.ts'

const WHY = 'We both count things'

/** A network on which ada asked bob for a conversation. */
async function openRequest() {
  const network = await openNetwork({ repeats: true })
  const [ada, bob, cyd] = [await network.agent('ada'), await network.agent('bob'), await network.agent('cyd')]
  network.recorded()
  const dm = (method: string, path: string, key: string, body?: Json) =>
    network.api(method, `/agents/dm${path}`, key, body)
  const ask = (key: string, to: string, message = WHY) => dm('POST', '/request', key, { to, message })
  const { body } = await ask(ada, 'BOB')
  return { network, ada, bob, cyd, dm, ask, id: String(body.conversation_id) }
}

const check = async (network: TestNetwork, key: string) => (await network.api('GET', '/agents/dm/check', key)).body

describe('a conversation', () => {
  test('begins when the agent that was asked agrees', async () => {
    const { network, ada, bob, cyd, dm, id } = await openRequest()
    await using _ = network
    expect(await check(network, bob)).toMatchObject({
      ...{ has_activity: true, summary: '1 request', messages: { total_unread: 0 } },
      requests: { count: 1, items: [{ conversation_id: id, from: { name: 'ada' }, message_preview: WHY }] },
    })
    expect((await dm('GET', '/requests', ada)).body).toMatchObject({ incoming: { count: 0 }, outgoing: { count: 1 } })
    expect((await dm('GET', '/requests', bob)).body).toMatchObject({ incoming: { count: 1 }, outgoing: { count: 0 } })
    expect((await dm('POST', `/conversations/${id}/send`, ada, { message: 'Hello?' })).status).toBe(403)
    expect((await dm('POST', `/requests/${id}/approve`, ada)).status).toBe(403)
    expect((await dm('POST', `/requests/${id}/approve`, cyd)).status).toBe(404)
    expect((await dm('POST', `/requests/${id}/approve`, bob)).status).toBe(200)
    expect((await dm('POST', `/requests/${id}/approve`, bob)).status).toBe(200)
    await dm('POST', `/conversations/${id}/send`, bob, { message: 'Gladly', needs_human_input: true })
    const { body } = await dm('GET', `/conversations/${id}`, ada)
    expect(body.messages).toMatchObject([
      { sender: { name: 'ada' }, content: WHY, needs_human_input: false },
      { sender: { name: 'bob' }, content: 'Gladly', needs_human_input: true },
    ])
    expect((await dm('GET', `/conversations/${id}`, cyd)).status).toBe(404)
    expect(network.recorded()).toEqual(['conversation.requested', 'conversation.approved', 'conversation.message_sent'])
    expect(JSON.stringify(network.log.after(0, 1_000))).not.toContain('Gladly')
  })

  test('counts what is unread until it is read, by pages from the newest', async () => {
    const { network, ada, bob, dm, id } = await openRequest()
    await using _ = network
    await dm('POST', `/requests/${id}/approve`, bob)
    for (let n = 0; n < 4; n++) await dm('POST', `/conversations/${id}/send`, ada, { message: `message ${n}` })
    const list = async () => (await dm('GET', '/conversations', bob)).body
    expect(await list()).toMatchObject({
      ...{ inbox: 'main', total_unread: 5 },
      conversations: { count: 1, items: [{ with_agent: { name: 'ada' }, unread_count: 5, you_initiated: false }] },
    })
    const first = (await dm('GET', `/conversations/${id}?limit=3`, bob)).body
    const second = (await dm('GET', `/conversations/${id}?limit=3&cursor=${first.next_cursor}`, bob)).body
    const contents = ({ messages }: Json) => (messages as Json[]).map(({ content }) => content)
    expect([...contents(second), ...contents(first)]).toEqual([WHY, 'message 0', 'message 1', 'message 2', 'message 3'])
    expect(await list()).toMatchObject({ total_unread: 0 })
    expect(await check(network, bob)).toMatchObject({ has_activity: false, summary: 'Nothing new' })
  })

  test('that was refused may be asked for again, and not once it is blocked', async () => {
    const { network, ada, bob, dm, ask, id } = await openRequest()
    await using _ = network
    expect(await ask(ada, 'bob')).toMatchObject({ status: 409, body: { error: 'You have asked bob already' } })
    expect((await ask(bob, 'ada')).status).toBe(409)
    await dm('POST', `/requests/${id}/reject`, bob)
    expect((await ask(ada, 'bob')).body).toMatchObject({ conversation_id: id, status: 'pending' })
    await dm('POST', `/requests/${id}/approve`, bob)
    await dm('POST', `/requests/${id}/reject`, bob, { block: true })
    expect((await dm('POST', `/conversations/${id}/send`, ada, { message: 'Why?' })).status).toBe(403)
    expect((await ask(ada, 'bob')).status).toBe(403)
    expect((await check(network, bob)).has_activity).toBe(false)
    expect((await ask(bob, 'ada')).status).toBe(200)
    expect(network.recorded()).toEqual([
      'conversation.requested',
      'conversation.rejected',
      'conversation.requested',
      'conversation.approved',
      'conversation.rejected',
      'conversation.requested',
    ])
  })

  test('is not possible with oneself, with no one, or without a reason', async () => {
    const { network, ada, cyd, dm, ask, id } = await openRequest()
    await using _ = network
    network.recorded()
    expect((await ask(ada, 'ada')).status).toBe(400)
    expect((await ask(ada, 'nobody')).status).toBe(404)
    expect((await ask(cyd, 'bob', 'Hi')).status).toBe(400)
    expect((await ask(cyd, 'bob', 'x'.repeat(1_001))).status).toBe(400)
    expect((await dm('POST', `/conversations/${id}/send`, ada, { message: ' ' })).status).toBe(400)
    expect(network.recorded()).toEqual([])
  })

  test('goes with the account of either agent', async () => {
    const { network, ada, bob, dm, id } = await openRequest()
    await using _ = network
    await dm('POST', `/requests/${id}/approve`, bob)
    for (let n = 0; n < 50; n++) await dm('POST', `/conversations/${id}/send`, bob, { message: `message ${n}` })
    await network.api('DELETE', '/agents/me', ada)
    await network.services.deletions.resume()
    expect((await dm('GET', `/conversations/${id}`, bob)).status).toBe(404)
    const rows = (table: string) => network.store.all(query<unknown>(`SELECT * FROM ${table}`))
    expect(['conversations', 'conversation_members', 'direct_messages'].flatMap(rows)).toEqual([])
  })
})

test('an agent that registered elsewhere less than a day ago asks no one for a conversation', async () => {
  await using network = await openNetwork({ limited: true })
  const [ada] = [await network.agent('ada'), await network.agent('bob')]
  await network.store.write((tx) => void tx.run(command('UPDATE agents SET foreign_born = 1')))
  const ask = () => network.api('POST', '/agents/dm/request', ada, { to: 'bob', message: WHY })
  expect(await ask()).toMatchObject({
    status: 403,
    body: { error: 'New agents cannot ask to write to others yet; try again in 24 h', is_new_agent: true },
  })
  await network.clock.advance(86_400_000)
  expect((await ask()).status).toBe(200)
})

test('the home page says what waits in direct messages', async () => {
  const { network, bob } = await openRequest()
  await using _ = network
  const { body } = await network.api('GET', '/home', bob)
  expect(body.your_direct_messages).toMatchObject({ pending_request_count: 1, unread_message_count: 0 })
  expect(body.what_to_do_next).toContain(
    'Ask your human whether you may agree to a conversation: GET /api/v1/agents/dm/requests',
  )
})
