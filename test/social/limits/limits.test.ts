import { describe, expect, test } from 'bun:test'
import { parseAddress } from '../../../src/core/addresses.ts'
import { query } from '../../../src/core/store/index.ts'
import { addressGroup } from '../../../src/social/limits/addresses.ts'
import { UNLIMITED } from '../../support/unlimited.ts'
import { eventually } from '../../support/until.ts'
import { type Json, OPERATOR_TOKEN, openNetwork } from '../network.ts'

const MINUTE = 60_000
const limits = (answered: { headers: Headers }) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(answered.headers.get(`x-ratelimit-${name}`)))

describe('posting', () => {
  test('is possible every half hour; the error says how long to wait, in every spelling', async () => {
    await using network = await openNetwork({ limited: true })
    const key = await network.agent('ada')
    const now = network.clock.now()
    const draft = { submolt: 'general', title: 'x', content: 'y' }
    const created = await network.api('POST', '/posts', key, draft)
    expect(created.status).toBe(201)
    expect(limits(created)).toEqual([1, 0, (now + 30 * MINUTE) / 1000])
    await network.clock.advance(10 * MINUTE)
    const response = await network.api('POST', '/posts', key, draft)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('1200')
    expect(limits(response)).toEqual([1, 0, (now + 30 * MINUTE) / 1000])
    expect(response.body).toEqual({
      success: false,
      error: 'You can only post once every 30 minutes. Try again in 20 minutes',
      code: 'RATE_LIMITED',
      hint: 'Try again in 1200 seconds',
      retryAfter: 1200,
      retryAfterMinutes: 20,
      retry_after: 1200,
      retry_after_seconds: 1200,
      retry_after_minutes: 20,
      limit: 1,
      remaining: 0,
      reset_at: '2026-01-05T09:30:00Z',
    })
    await network.clock.advance(20 * MINUTE)
    expect((await network.api('POST', '/posts', key, draft)).status).toBe(201)
    expect(network.recorded()).toEqual(['agent.registered', 'post.created', 'post.created'])
  })

  test('is possible again at the time that the error names, also between two seconds', async () => {
    await using network = await openNetwork({ limited: true })
    const key = await network.agent('ada')
    await network.clock.advance(400)
    await network.post(key)
    const draft = { submolt: 'general', title: 'x', content: 'y' }
    const { body, headers } = await network.api('POST', '/posts', key, draft)
    const reset = Date.parse(String(body.reset_at))
    expect(reset).toBe(Number(headers.get('x-ratelimit-reset')) * 1000)
    await network.clock.advance(reset - network.clock.now())
    expect((await network.api('POST', '/posts', key, draft)).status).toBe(201)
  })

  test('many times at the same time succeeds once, and deleting the post does not restore the limit', async () => {
    await using network = await openNetwork({ limited: true })
    const key = await network.agent('ada')
    const draft = { submolt: 'general', title: 'x', content: 'y' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => network.api('POST', '/posts', key, draft)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(19)
    const created = answers.find(({ status }) => status === 201)?.body.post as Json
    await network.api('DELETE', `/posts/${created.id}`, key)
    expect((await network.api('POST', '/posts', key, draft)).status).toBe(429)
  })

  test('stays limited after a restart', async () => {
    const network = await openNetwork({ limited: true })
    const key = await network.agent('ada')
    await network.post(key)
    await network.stop()
    await using again = await openNetwork({ limited: true, folder: network.folder, clock: network.clock })
    const draft = { submolt: 'general', title: 'x', content: 'y' }
    expect((await again.api('POST', '/posts', key, draft)).status).toBe(429)
    expect((await again.api('POST', '/posts', await again.agent('bob'), draft)).status).toBe(201)
  })
})

test('commenting is possible 50 times in an hour', async () => {
  await using network = await openNetwork({ limited: true })
  const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
  const { id } = await network.post(ada)
  for (let at = 0; at < 50; at++) {
    if (at === 40) await network.clock.advance(MINUTE)
    await network.comment(bob, id, `${at}`)
  }
  const response = await network.api('POST', `/posts/${id}/comments`, bob, { content: 'x' })
  expect(response.status).toBe(429)
  expect(response.body).toMatchObject({ retry_after_seconds: 3_540, limit: 50, remaining: 0 })
  await network.clock.advance(59 * MINUTE)
  const answers = await Promise.all(
    Array.from({ length: 45 }, () => network.api('POST', `/posts/${id}/comments`, bob, { content: 'x' })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(40)
  expect(await network.recount()).toEqual([])
})

test('votes, follows and communities are limited; requests that change nothing do not count', async () => {
  const two = { count: 2, window: MINUTE }
  const settings = { limits: { ...UNLIMITED, vote: two, follow: two, submolt: two } }
  await using network = await openNetwork({ settings })
  const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
  const { id } = await network.post(ada)
  const statuses = async (steps: [string, string, unknown?][]) => {
    const received: number[] = []
    for (const [method, path, body] of steps) received.push((await network.api(method, path, bob, body)).status)
    return received
  }
  const up: [string, string] = ['POST', `/posts/${id}/upvote`]
  const follow: [string, string] = ['POST', '/agents/ada/follow']
  expect(await statuses([['POST', '/posts/x/upvote'], up, up, up])).toEqual([404, 200, 200, 429])
  expect(await statuses([follow, follow, follow, ['DELETE', '/agents/ada/follow'], follow, follow])).toEqual([
    200, 200, 200, 200, 200, 200,
  ])
  expect(await statuses([['POST', '/submolts/general/subscribe']])).toEqual([429])
  const submolt = (name: string): [string, string, unknown] => ['POST', '/submolts', { name, display_name: name }]
  expect(await statuses([submolt('x'), submolt('one'), submolt('one'), submolt('two'), submolt('three')])).toEqual([
    400, 201, 409, 201, 429,
  ])
})

test('agents from other machines have stricter limits on their first day, and the error reports it', async () => {
  const newcomer = { age: 1_440 * MINUTE, limits: { post: [{ count: 1, window: 120 * MINUTE }] } }
  await using network = await openNetwork({ settings: { proxied: true, limits: { ...UNLIMITED, newcomer } } })
  const key = await network.agent('ada')
  const draft = { submolt: 'general', title: 'x', content: 'y' }
  await network.post(key)
  const response = await network.api('POST', '/posts', key, draft)
  expect(response.status).toBe(429)
  expect(response.body).toMatchObject({
    error: 'You can only post once every 2 hours. Try again in 120 minutes',
    is_new_agent: true,
    new_agent_hours_remaining: 24,
  })
  await network.clock.advance(1_440 * MINUTE)
  await network.post(key)
  await network.post(key)
})

test('a new agent may post every two hours, comment once a minute and 20 times a day, and create one community', async () => {
  await using network = await openNetwork({ limited: true, settings: { proxied: true } })
  const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
  const { id } = await network.post(ada)
  const submolt = (name: string) => network.api('POST', '/submolts', bob, { name, display_name: name })
  expect((await submolt('one')).status).toBe(201)
  expect((await submolt('two')).body).toMatchObject({
    error: 'You can only create submolts once every day. Try again in 1440 minutes',
    is_new_agent: true,
  })
  const response = await network.api('POST', `/posts/${id}/comments`, bob, { content: 'x' })
  expect([response.status, ...limits(response)]).toEqual([201, 1, 0, (network.clock.now() + MINUTE) / 1000])
  await network.clock.advance(15_000)
  const soon = await network.api('POST', `/posts/${id}/comments`, bob, { content: 'x' })
  expect(soon.body).toMatchObject({
    error: 'You can only comment once every minute. Try again in 45 seconds',
    ...{ retry_after_seconds: 45, limit: 1, daily_remaining: 19, is_new_agent: true, new_agent_hours_remaining: 24 },
  })
  expect(soon.body).not.toHaveProperty('retry_after_minutes')
  for (let at = 1; at < 20; at++) {
    await network.clock.advance(MINUTE)
    await network.comment(bob, id, `${at}`)
  }
  await network.clock.advance(MINUTE)
  const enough = await network.api('POST', `/posts/${id}/comments`, bob, { content: 'x' })
  expect(enough.body).toMatchObject({ limit: 20, daily_remaining: 0, retry_after_minutes: 1_420 })
  expect(enough.body.error).toStartWith('You can only comment 20 times every day.')
  expect(
    (await network.api('POST', '/posts', ada, { submolt: 'general', title: 'x', content: 'y' })).body,
  ).toMatchObject({ retry_after_minutes: 100, limit: 1, is_new_agent: true })
  await network.clock.advance(1_440 * MINUTE)
  for (let at = 0; at < 30; at++) await network.comment(bob, id, `${at}`)
  expect(network.recorded().filter((type) => type === 'comment.created')).toHaveLength(50)
  expect(await network.recount()).toEqual([])
})

test('agents of this machine have no stricter limits', async () => {
  await using network = await openNetwork({ limited: true })
  const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
  const { id } = await network.post(ada)
  for (let at = 0; at < 50; at++) await network.comment(bob, id, `${at}`)
  const response = await network.api('POST', `/posts/${id}/comments`, bob, { content: 'x' })
  expect(response.body).toMatchObject({ limit: 50, retry_after_minutes: 60 })
  expect(response.body).not.toHaveProperty('is_new_agent')
})

describe('registering', () => {
  test('from one address is limited, as from pages on this machine; its programs may make fifty times as many', async () => {
    await using network = await openNetwork({ limited: true, settings: { proxied: true } })
    const register = (name: string, from: string) =>
      network.api('POST', '/agents/register', undefined, { name }, { 'x-forwarded-for': `9.9.9.9, ${from}` })
    for (let at = 0; at < 20; at++) expect((await register(`one${at}`, '203.0.113.1')).status).toBe(201)
    const response = await register('another', '203.0.113.1')
    expect(response.status).toBe(429)
    expect(response.body.error).toStartWith('You can only register agents from one address 20 times every hour')
    expect((await register('another', '203.0.113.2')).status).toBe(201)
    await using own = await openNetwork({ limited: true })
    const { url } = own
    const page = (name: string) =>
      own.api('POST', '/agents/register', undefined, { name }, { origin: url, 'x-forwarded-for': '203.0.113.1' })
    for (let at = 0; at < 20; at++) expect((await page(`page${at}`)).status).toBe(201)
    expect((await page('another')).status).toBe(429)
    for (let at = 0; at < 30; at++) await own.agent(`mine${at}`)
  })

  test('by programs on this machine is limited', async () => {
    const settings = { limits: { ...UNLIMITED, register: { count: 1, window: 60 * MINUTE } } }
    await using network = await openNetwork({ settings })
    for (let at = 0; at < 50; at++) {
      if (at === 25) await network.clock.advance(MINUTE)
      await network.agent(`mine${at}`)
    }
    network.recorded()
    const response = await network.api('POST', '/agents/register', undefined, { name: 'another' })
    expect([response.status, response.body.retry_after_seconds]).toEqual([429, 59 * 60])
    expect(network.recorded()).toEqual([])
    await network.clock.advance(59 * MINUTE)
    await network.agent('another')
  })

  test('from what a proxy names without an address is limited together', async () => {
    await using network = await openNetwork({ limited: true, settings: { proxied: true } })
    const register = (name: string, from: string) =>
      network.api('POST', '/agents/register', undefined, { name }, { 'x-forwarded-for': from })
    for (let at = 1; at <= 20; at++) expect((await register(`one${at}`, `junk-${at}`)).status).toBe(201)
    for (const from of ['unknown', '203.0.113.999', '[', '203.0.113.1, ?', 'x'.repeat(5_000)]) {
      expect([from.slice(0, 20), (await register('another', from)).status]).toEqual([from.slice(0, 20), 429])
    }
    expect((await register('another', '203.0.113.1:51234')).status).toBe(201)
  })

  test('from all addresses of one IPv6 network is limited together', async () => {
    await using network = await openNetwork({ limited: true, settings: { proxied: true } })
    const register = (name: string, from: string) =>
      network.api('POST', '/agents/register', undefined, { name }, { 'x-forwarded-for': from })
    for (let at = 1; at <= 20; at++) expect((await register(`one${at}`, `2001:db8::${at}`)).status).toBe(201)
    expect((await register('another', '2001:db8::ffff:0:0:1')).status).toBe(429)
    expect((await register('another', '2001:db8:0:1::1')).status).toBe(201)
  })
})

const groupOf = (text: string) => addressGroup(parseAddress(text) ?? 'junk')

test('an IPv6 address is counted with its network, however it is written', () => {
  const same = ['2001:db8::1', '2001:0DB8:0:0:5:6:7:8', '2001:db8::5:6:7:8', '2001:db8:0000::', '2001:db8:0:0::9']
  expect(new Set([...same, '[2001:db8::7]', '[2001:db8::7]:443'].map(groupOf))).toEqual(new Set(['2001:db8:0:0']))
  expect(groupOf('2001:db8:0:1::')).toBe('2001:db8:0:1')
  expect(['fe80::1%eth0', '::1', '::'].map(groupOf)).toEqual(['fe80:0:0:0', '0:0:0:0', '0:0:0:0'])
})

test('an IPv4 address is counted alone, also with a port, in brackets or inside an IPv6 address', () => {
  const same = ['203.0.113.7', '203.0.113.7:51234', '::ffff:203.0.113.7', '::FFFF:cb00:7107', '[::ffff:203.0.113.7]:80']
  expect(new Set(same.map(groupOf))).toEqual(new Set(['203.0.113.7']))
})

test('rejects values that are not addresses', () => {
  for (const text of [
    ...['', 'unknown', '_hidden', 'localhost', '203.0.113', '203.0.113.7.1', '203.0.113.256', '0x7f.1', '01.2.3.4'],
    ...[
      '203.0.113.7:http',
      '203.0.113.7 x',
      '[203.0.113.7]',
      '[2001:db8::1',
      '2001:db8::1]',
      '2001:db8:::1',
      '[]',
      ':80',
    ],
    ...['::ffff:203.0.113.999', 'x'.repeat(10_000), '2001:db8::1/64', '"203.0.113.7"'],
  ]) {
    expect([text.slice(0, 30), parseAddress(text)]).toEqual([text.slice(0, 30), undefined])
  }
})

describe('requests', () => {
  test('are counted for each agent whether they succeed or not, and shown in each response', async () => {
    const general = { count: 5, window: MINUTE }
    await using network = await openNetwork({ settings: { limits: { ...UNLIMITED, general } } })
    const key = await network.agent('ada')
    const reset = (network.clock.now() + MINUTE) / 1000
    expect(limits(await network.api('GET', '/posts', key))).toEqual([5, 4, reset])
    expect(limits(await network.api('GET', '/posts/nothing', key))).toEqual([5, 3, reset])
    expect(limits(await network.api('GET', '/nowhere', key))).toEqual([5, 2, reset])
    expect(limits(await network.api('POST', '/posts', key, '{'))).toEqual([5, 1, reset])
    expect(limits(await network.api('GET', '/agents/me', key))).toEqual([5, 0, reset])
    await network.clock.advance(15_000)
    const response = await network.api('GET', '/agents/me', key)
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '45'])
    expect(response.body).toMatchObject({ error: 'Rate limit exceeded. Try again in 45 seconds', code: 'RATE_LIMITED' })
    expect(response.body.retry_after_minutes).toBeUndefined()
    await network.clock.advance(45_000)
    expect((await network.api('GET', '/agents/me', key)).status).toBe(200)
  })

  test('without a valid key are counted for their address, and not for the agents there', async () => {
    const general = { count: 5, window: MINUTE }
    await using network = await openNetwork({ settings: { limits: { ...UNLIMITED, general } } })
    const key = await network.agent('ada')
    for (let at = 0; at < 4; at++) {
      expect((await network.api('GET', '/posts', `moltbook_${'0'.repeat(63)}${at}`)).status).toBe(401)
    }
    expect((await network.api('GET', '/health')).status).toBe(429)
    expect((await network.api('POST', '/agents/register', undefined, { name: 'bob' })).status).toBe(429)
    expect((await network.api('GET', '/posts', key)).status).toBe(200)
    const asked = await network.api('GET', '/operator/recount', OPERATOR_TOKEN)
    expect([asked.status, limits(asked).slice(0, 2)]).toEqual([200, [5, 4]])
    expect((await network.api('GET', '/operator/recount', key)).status).toBe(429)
  })

  test('cannot forge their address', async () => {
    const general = { count: 3, window: MINUTE }
    await using network = await openNetwork({ settings: { limits: { ...UNLIMITED, general } } })
    const ask = (from: number) =>
      network.api('GET', '/health', undefined, undefined, { 'x-forwarded-for': `10.0.0.${from}` })
    const statuses = [await ask(1), await ask(2), await ask(3), await ask(4)].map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })
})

test('charges that no limit counts any more are deleted', async () => {
  await using network = await openNetwork({ limited: true })
  await network.post(await network.agent('ada'))
  const statement = query<{ n: number }>('SELECT count(*) AS n FROM charges')
  const charges = () => network.store.get(statement)?.n
  expect(charges()).toBe(2)
  const anHourLater = () => network.clock.advance(60 * MINUTE).then(charges)
  await eventually('charges are forgotten', 10_000, anHourLater, (left) => left === 0)
})

test('an operation that needs no key is counted by the address, whatever key it is sent', async () => {
  await using network = await openNetwork({ limited: true })
  const key = await network.agent('ada')
  const [, first = 0] = limits(await network.api('GET', '/openapi.json'))
  const [, second] = limits(await network.api('GET', '/openapi.json', key))
  expect(second).toBe(first - 1)
})
