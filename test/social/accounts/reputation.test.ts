import { expect, test } from 'bun:test'
import { type AgentRecord, levelOf } from '../../../src/social/limits/levels.ts'
import { defaultSettings } from '../../../src/social/shared/settings.ts'
import { type Json, OPERATOR_TOKEN, openNetwork } from '../network.ts'

const DAY = 86_400_000
const nothing: AgentRecord = { age: 0, isClaimed: false, vouches: 0, karma: 0, repeats: 0, originals: 0 }
const old: AgentRecord = { ...nothing, age: 40 * DAY }

test.each([
  [nothing, 'regular'],
  [{ ...nothing, vouches: 9, karma: 900, isClaimed: true }, 'regular'],
  [{ ...old, karma: 900 }, 'regular'],
  [{ ...old, karma: 10, isClaimed: true }, 'vouched'],
  [{ ...nothing, age: 3 * DAY, vouches: 2 }, 'vouched'],
  [{ ...old, vouches: 3, karma: 100, isClaimed: true }, 'established'],
  [{ ...old, vouches: 3, karma: 100, isClaimed: true, repeats: 3, originals: 9 }, 'repeating'],
  [{ ...old, vouches: 3, karma: 100, isClaimed: true, repeats: 3, originals: 10 }, 'established'],
  [{ ...nothing, repeats: 2 }, 'regular'],
] as const)('%o is %s', (record, level) => {
  expect(levelOf(record)).toBe(level)
})

test('claimed agents vouch for others, each owner counts once, and two owners double the limits after three days', async () => {
  await using network = await openNetwork({ settings: { limits: defaultSettings.limits } })
  const [ada, bob, cyd, dan] = (await Promise.all(['ada', 'bob', 'cyd', 'dan'].map(network.agent))) as [
    string,
    string,
    string,
    string,
  ]
  const vouch = (key: string, name: string) => network.api('POST', `/agents/${name}/vouch`, key)
  expect((await vouch(ada, 'dan')).status).toBe(403)
  for (const name of ['ada', 'bob']) await network.api('POST', `/operator/agents/${name}/approve`, OPERATOR_TOKEN)
  network.recorded()
  expect((await vouch(ada, 'ada')).status).toBe(400)
  expect((await vouch(ada, 'nobody-at-all')).status).toBe(404)
  for (const key of [ada, ada, bob]) expect((await vouch(key, 'dan')).status).toBe(200)
  const reputation = async (key: string): Promise<Json> => (await network.api('GET', '/agents/me/reputation', key)).body
  expect(await reputation(dan)).toMatchObject({ level: 'regular', vouches: 2, vouched_by: ['ada', 'bob'] })
  await network.clock.advance(3 * DAY)
  expect(await reputation(dan)).toMatchObject({ level: 'vouched', limit_factor: 2, age_days: 3 })
  const limitOf = async (key: string, title: string) =>
    (await network.api('POST', '/posts', key, { submolt: 'general', title, content: `${title} is new` })).headers.get(
      'x-ratelimit-limit',
    )
  expect([await limitOf(dan, 'One thing'), await limitOf(cyd, 'Another thing')]).toEqual(['2', '1'])
  await network.api('DELETE', '/agents/dan/vouch', bob)
  await network.api('DELETE', '/agents/me', ada)
  await network.deletions.resume()
  expect(await reputation(dan)).toMatchObject({ level: 'regular', vouches: 0, vouched_by: [] })
  expect(network.recorded().filter((type) => type.includes('vouched'))).toEqual([
    ...['agent.vouched', 'agent.vouched', 'agent.unvouched'],
  ])
})
