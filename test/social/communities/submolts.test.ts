import { describe, expect, test } from 'bun:test'
import { command } from '../../../src/core/store/index.ts'
import { type Json, openNetwork } from '../network.ts'

const names = (body: Json) => (body.submolts as Json[]).map(({ name }) => name)

describe('a community', () => {
  test('is owned and subscribed to by its creator, already in the first response', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('Ada'), await network.agent('bob')]
    const draft = { name: 'Birds-1', displayName: 'Birds', description: 'Of a feather', allow_crypto: true }
    const { status, body } = await network.api('POST', '/submolts', ada, draft)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      your_role: 'owner',
      submolt: {
        name: 'birds-1',
        display_name: 'Birds',
        description: 'Of a feather',
        subscriber_count: 1,
        post_count: 0,
        creator_name: 'Ada',
        is_subscribed: true,
        allow_crypto: true,
      },
    })
    expect((await network.api('GET', '/submolts/BIRDS-1', ada)).body).toEqual(body)
    const seen = (await network.api('GET', '/submolts/birds-1', bob)).body
    expect(seen).toMatchObject({ your_role: null, submolt: { is_subscribed: false, your_role: null } })
    expect(network.recorded()).toEqual(['agent.registered', 'agent.registered', 'submolt.created'])
    expect(await network.recount()).toEqual([])
  })

  test.each([
    [{}, 400, 'Name is required'],
    [{ name: 'x', display_name: 'X' }, 400, 'Name must be 2-30 characters'],
    [{ name: '-x', display_name: 'X' }, 400, 'Name must be 2-30 characters'],
    [{ name: 'a b', display_name: 'X' }, 400, 'Name must be 2-30 characters'],
    [{ name: 'x'.repeat(31), display_name: 'X' }, 400, 'Name must be 2-30 characters'],
    [{ name: 'Admin', display_name: 'X' }, 400, 'This name is reserved'],
    [{ name: 'm0ltb00k', display_name: 'X' }, 400, 'This name is reserved'],
    [{ name: 'ad_m1n', display_name: 'X' }, 400, 'This name is reserved'],
    [{ name: 'General', display_name: 'X' }, 409, 'Submolt name already taken'],
    [{ name: 'xx', display_name: 'x'.repeat(51) }, 400, 'Display name must be 50 characters or less'],
    [{ name: 'xx', description: 'x'.repeat(1_001) }, 400, 'Description must be 1000 characters or less'],
  ])('%#: is rejected with a reason', async (draft, status, error) => {
    await using network = await openNetwork()
    const response = await network.api('POST', '/submolts', await network.agent('ada'), draft)
    expect([response.status, String(response.body.error).slice(0, error.length)]).toEqual([status, error])
    expect(network.recorded()).toEqual(['agent.registered'])
  })

  test('created by many at the same time is created once', async () => {
    await using network = await openNetwork()
    const keys = await Promise.all(Array.from({ length: 12 }, (_, at) => network.agent(`a${at}-`)))
    const answers = await Promise.all(keys.map((key) => network.api('POST', '/submolts', key, { name: 'one' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 11 }, () => 409)])
    expect(await network.recount()).toEqual([])
  })

  test('is subscribed to and unsubscribed from once each, and stays its owner’s', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    await network.api('POST', '/submolts', ada, { name: 'birds' })
    network.recorded()
    const act = async (method: string, name = 'Birds') =>
      (await network.api(method, `/submolts/${name}/subscribe`, ada)).body.action
    expect([await act('POST'), await act('DELETE'), await act('DELETE'), await act('POST')]).toEqual([
      'already_subscribed',
      'unsubscribed',
      'not_subscribed',
      'subscribed',
    ])
    expect((await network.api('GET', '/submolts/birds', ada)).body.your_role).toBe('owner')
    for (const method of ['POST', 'DELETE']) {
      expect((await network.api(method, '/submolts/nowhere/subscribe', ada)).status).toBe(404)
    }
    expect(network.recorded()).toEqual(['submolt.unsubscribed', 'submolt.subscribed'])
    expect(await network.recount()).toEqual([])
  })

  test('lists only its own posts', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    await network.api('POST', '/submolts', ada, { name: 'birds' })
    await network.post(ada, 'there', { submolt: 'birds' })
    await network.post(ada, 'elsewhere')
    for (const sort of ['hot', 'new', 'top', 'rising', 'controversial']) {
      const { body } = await network.api('GET', `/submolts/BIRDS/feed?sort=${sort}`, ada)
      expect((body.posts as Json[]).map(({ title }) => title)).toEqual(['there'])
    }
    expect((await network.api('GET', '/submolts/nowhere/feed', ada)).status).toBe(404)
  })
})

test('communities are listed by subscribers, age or name, page by page', async () => {
  await using network = await openNetwork()
  const keys = await Promise.all(['one', 'two', 'three', 'four'].map((name) => network.agent(`${name}-agent`)))
  const subscribers = { ducks: 2, cranes: 4, bees: 2, ants: 3 }
  await network.store.write((tx) => void tx.run(command('UPDATE submolts SET created_at = 0')))
  for (const [name, count] of Object.entries(subscribers)) {
    await network.clock.advance(1_000)
    await network.api('POST', '/submolts', keys[0], { name })
    for (const key of keys.slice(1, count)) await network.api('POST', `/submolts/${name}/subscribe`, key)
  }
  const expected = {
    popular: ['cranes', 'ants', 'bees', 'ducks', 'announcements', 'general'],
    new: ['ants', 'bees', 'cranes', 'ducks', 'announcements', 'general'],
    alphabetical: ['announcements', 'ants', 'bees', 'cranes', 'ducks', 'general'],
    hot: ['cranes', 'ants', 'bees', 'ducks', 'announcements', 'general'],
  }
  for (const [sort, order] of Object.entries(expected)) {
    const list = async (more: string) => (await network.api('GET', `/submolts?sort=${sort}${more}`, keys[0])).body
    expect([sort, names(await list(''))]).toEqual([sort, order])
    const pages: unknown[] = []
    for (let cursor: unknown = ''; cursor !== null; ) {
      const page = await list(`&limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      pages.push(...names(page))
      cursor = page.next_cursor
    }
    expect([sort, pages]).toEqual([sort, order])
    expect(names(await list('&limit=2&offset=1'))).toEqual(order.slice(1, 3))
  }
})
