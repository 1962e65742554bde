import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sessionPage } from '../../../client/views/session.ts'
import type { BudgetList } from '../../../src/agents/schema.ts'
import type { SessionUsage, UsageBody, UsageHistory } from '../../../src/agents/usage/schema.ts'
import type { SessionResponse } from '../../../src/work/schema.ts'
import { claude } from '../../programs/samples.ts'
import { reachTo } from '../../tui/reach.ts'
import { openRecordingCity } from '../conversations/recording-city.ts'

let town: Awaited<ReturnType<typeof openRecordingCity>>
let session: SessionResponse
beforeAll(async () => {
  town = await openRecordingCity()
  await town.json(['agent', 'add', 'clerk', '--provider', 'scribe', '--max', '5'])
  session = await town.start('bob')
}, 20_000)
afterAll(() => town[Symbol.asyncDispose]())

const now = () => ({ timestamp: new Date().toISOString() })
const usage = (fits: (usage: UsageBody) => boolean) => town.until<UsageBody>('/usage', fits)

test('the usage of a turn is counted and priced when the turn ends', async () => {
  await town.json(['budget', 'set', '1usd', '--agent', 'clerk'])
  const prompt = { ...claude.user('u1', null, 'Work', 1), ...now() }
  town.log('k', prompt, { ...claude.says('a1', 'u1', 'Done', 2), ...now() })
  const shown = await usage(({ today }) => today.invocations === 1)
  expect(shown).toMatchObject({ available: true, recording: true, source: 'local_estimate', recent_window_secs: 300 })
  expect(shown.today).toMatchObject({ input_tokens: 4, output_tokens: 50, cache_read_tokens: 98_996, unpriced: 0 })
  expect(shown.today.cost_usd_estimate).toBeCloseTo(0.057018, 5)
  expect(shown.recent_by_session).toMatchObject([{ session: 'bob', session_id: session.id, output_tokens: 50 }])
  const days = (await town.get<UsageHistory>('/usage/days?days=2')).body
  expect(days).toMatchObject({ city: { invocations: 1 }, agents: [{ name: 'clerk' }], models: [{ invocations: 1 }] })
  expect(days.city.daily_tokens.at(-1)).toBe(days.city.tokens)
  const used = (await town.get<SessionUsage>(`/session/${session.id}/usage`)).body
  expect(used).toMatchObject({ session_id: session.id, invocations: 1, input_tokens: 4, output_tokens: 50 })
  expect((await town.get('/session/nobody/usage')).status).toBe(404)
  const page = await sessionPage.load(reachTo(town.url, session.id))
  expect(page.head?.slice(1)).toEqual([
    { text: '$0.06 · 4 in · 50 out · 1 turn' },
    { text: 'confined: no: it runs with your permissions', tone: 'quiet' },
  ])
  const { body } = await town.get<UsageBody>('/usage?aggregate_only=true')
  expect(body.recent_by_session).toBeUndefined()
  const printed = (await town.gc(['usage'])).out
  expect(printed).toMatch(/today +4 +50 +99\.0k +1\.0k +\$0\.06/)
  expect(printed).toMatch(/\nPrices as of \d{4}-\d{2}-\d{2}\.\n$/)
})

test('the duration of a run is counted when its program has ended', async () => {
  await town.gc(['session', 'suspend', session.id])
  const { today } = await usage(({ today }) => today.compute_facts === 1)
  expect(today.wall_seconds).toBeGreaterThan(0)
})

test('an exhausted budget keeps its agent from being started, and people are notified once', async () => {
  const { items } = (await town.get<BudgetList>('/budgets')).body
  expect(items).toMatchObject([{ scope: 'agent', name: 'clerk', unit: 'usd', per: 'day', limit: 1, state: 'ok' }])
  await town.json(['budget', 'set', '0.05usd', '--agent', 'clerk'])
  await town.gc(['session', 'wake', session.id])
  const agent = await town.get<{ available: boolean; unavailable_reason: string }>('/agent/clerk')
  expect(agent.body.unavailable_reason).toContain('the budget of agent clerk in dollars a day is used up until')
  const shown = (await town.get<SessionResponse>(`/session/${session.id}`)).body
  expect(shown.running).toBe(false)
  const { body: mail } = await town.get<{ items: { subject: string }[] }>('/mail?agent=human')
  expect(mail.items.filter(({ subject }) => subject.includes('used up'))).toHaveLength(1)
  await town.json(['budget', 'set', '5usd', '--agent', 'clerk'])
  await town.until<SessionResponse>(`/session/${session.id}`, ({ running }) => running)
  const types = (await town.gc(['events', '--json'])).out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).type)
  expect(types.filter((type: string) => type.startsWith('budget.'))).toEqual([
    ...['budget.set', 'budget.set', 'budget.exhausted', 'budget.set'],
  ])
  expect((await town.gc(['budget', 'remove', 'usd', '--agent', 'clerk'])).out).toBe('The budget was removed.\n')
  expect((await town.gc(['budget', 'list'])).out).toContain('There are no budgets')
  expect(town.reports).toEqual([])
})

test('a session may not change budgets', async () => {
  const answer = await fetch(`${town.base}/budgets`, {
    method: 'PUT',
    headers: { 'X-GC-Request': '1', 'Content-Type': 'application/json', Authorization: 'Bearer gcs_nobody' },
    body: JSON.stringify({ scope: 'city', unit: 'usd', per: 'day', limit: 1 }),
  })
  expect(answer.status).toBe(401)
  const missing = await fetch(`${town.base}/budgets`, {
    method: 'PUT',
    headers: { 'X-GC-Request': '1', 'Content-Type': 'application/json' },
    body: JSON.stringify({ scope: 'agent', name: 'nobody', unit: 'usd', per: 'day', limit: 1 }),
  })
  expect(missing.status).toBe(404)
})
