import { describe, expect, test } from 'bun:test'
import { levelOf, periodOf } from '../../../../src/agents/usage/budgets/period.ts'
import { hashToken } from '../../../../src/core/text/credentials.ts'
import { human } from '../../../../src/http/guard.ts'
import { scriptedTown } from '../../../support/city.ts'
import { until } from '../../../support/until.ts'

const TOML = `[[rigs]]
name = "web"
path = "/tmp"
[[agent]]
name = "worker"
dir = "web"
start_command = "cat"
session = "acp"
[[pricing]]
model = "coin"
[pricing.tier]
prompt_usd_per_1m = 10000
completion_usd_per_1m = 0
`
const worker = { qualified: 'web/worker', dir: 'web' }

/** A city with a session whose usage the test sets. A token costs a cent. */
async function open() {
  const town = scriptedTown(TOML)
  const { clock, host } = town
  const city = await town.open()
  const { store, log, mail, budgets, usage, sessions, reconciler } = city
  await sessions.creating.create(human, { kind: 'agent', name: 'web/worker' })
  await reconciler.settle()
  const [key = ''] = host.running
  await host.finishTurn(key)
  // Its conversation is followed a moment after its start.
  await clock.advance(1000)
  return {
    town,
    city,
    key,
    budgets,
    clock,
    /** The subjects of the mail to people, oldest first. */
    subjects: () =>
      mail
        .list({ agent: 'human' })
        .items.map(({ subject }) => subject)
        .reverse(),
    /** The session uses so many tokens in one turn. */
    async use(tokens: number, model = 'coin') {
      const before = usage.spent({ scope: 'city', name: '' }, 0).tokens
      await host.beginTurn(key)
      const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Done.' } }
      await host.report(key, { type: 'update', update })
      await host.finishTurn(key, { inputTokens: tokens, model_usage: [{ model }] })
      await until(() => usage.spent({ scope: 'city', name: '' }, 0).tokens === before + tokens)
      await store.write(() => {})
    },
    events: () =>
      log
        .after(0, 1000)
        .map(({ type }) => type)
        .filter((type) => type.startsWith('budget.')),
    [Symbol.asyncDispose]: () => town[Symbol.asyncDispose](),
  }
}

describe('a budget', () => {
  test('warns at 80 %, blocks at 100 %, notifies once of each in a period, and starts over in the next', async () => {
    await using world = await open()
    const { budgets, clock, subjects } = world
    await budgets.set(human, { scope: 'rig', name: 'web', unit: 'tokens', per: 'hour', limit: 1000 })
    await world.use(700)
    expect([budgets.blocks(worker), subjects().length]).toEqual([undefined, 0])
    await world.use(100)
    await world.use(50)
    expect(budgets.blocks(worker)).toBeUndefined()
    await world.use(150)
    await world.use(100)
    expect(budgets.blocks(worker)).toMatch(
      /^the budget of rig web in tokens an hour is used up until .*; raise it, or wait$/,
    )
    expect(budgets.blocks({ qualified: 'mayor' })).toBeUndefined()
    expect(subjects()).toEqual([
      'the budget of rig web in tokens an hour is 80 % used',
      'the budget of rig web in tokens an hour is used up',
    ])
    expect(world.events()).toEqual(['budget.set', 'budget.warned', 'budget.exhausted'])
    await clock.advance(3_600_000)
    await world.use(10)
    expect(budgets.blocks(worker)).toBeUndefined()
    expect(budgets.list().items).toMatchObject([{ state: 'ok', spent: 10 }])
    await world.use(990)
    expect(world.events().slice(3)).toEqual(['budget.exhausted'])
  })

  test('of the city applies to every agent, also in dollars; setting it again unchanged records no event', async () => {
    await using world = await open()
    const set = { scope: 'city', unit: 'usd', per: 'day', limit: 5 } as const
    await world.budgets.set(human, set)
    await world.budgets.set(human, set)
    await world.use(500)
    expect(world.budgets.blocks({ qualified: 'mayor' })).toContain('the budget of the city in dollars a day')
    await world.budgets.remove(human, set)
    await world.budgets.remove(human, set)
    expect(world.budgets.blocks({ qualified: 'mayor' })).toBeUndefined()
    expect(world.events()).toEqual(['budget.set', 'budget.exhausted', 'budget.removed'])
  })

  test('is only for a declared rig or agent', async () => {
    await using world = await open()
    const set = { scope: 'city', unit: 'usd', per: 'day', limit: 5 } as const
    expect(await world.budgets.set(human, set)).toMatchObject({ limit: 5, state: 'ok' })
    expect(() => world.budgets.set(human, { ...set, scope: 'agent', name: 'ghost' })).toThrow(
      'agent ghost is not declared',
    )
    expect(() => world.budgets.set(human, { ...set, scope: 'rig' })).toThrow('is not declared')
    expect(() => world.budgets.set(human, { ...set, name: 'web' })).toThrow('has no name')
    expect(world.events()).toEqual(['budget.set'])
  })
})

describe('once a budget is used up', () => {
  const limit = { scope: 'rig', name: 'web', unit: 'tokens', per: 'hour', limit: 1000 } as const
  /** A session whose turn has used more than its budget allows. */
  async function exhausted() {
    const world = await open()
    await world.budgets.set(human, limit)
    await world.use(1500)
    const [row] = world.city.sessionRepository.live()
    if (!row) throw new Error('there is no session')
    return { ...world, row, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
  }

  test('no session gets another turn, a nudge, a wake or a bead until there is room', async () => {
    await using world = await exhausted()
    const { city, clock, town, row, budgets } = world
    const { sessionRecords, store, reconciler } = city
    const bead = await city.beads.create(human, { title: 'oil', metadata: { 'gc.routed_to': 'web/worker' } })
    await store.write((tx) => sessionRecords.queue.add(tx, row.id, 'Go on.'))
    await clock.advance(60_000)
    expect([town.host.prompts, town.host.starts.length]).toEqual([[], 1])
    const caller = city.credentials.caller(hashToken(town.host.starts[0]?.env.GC_TOKEN ?? ''))
    if (!caller || caller === 'ended') throw new Error('its token is not known')
    expect(await city.claims.next(caller)).toEqual({ action: 'drain', reason: 'no_work' })
    expect(city.claims.list().total).toBe(0)
    expect(city.claims.claim(caller, bead.id)).rejects.toThrow('the budget of rig web in tokens an hour is used up')
    await city.sessions.creating.create(human, { kind: 'agent', name: 'web/worker' })
    await reconciler.settle()
    await clock.advance(60_000)
    expect(town.host.starts).toHaveLength(1)
    await budgets.set(human, { ...limit, limit: 5000 })
    await until(() => town.host.prompts.length === 1)
    expect(town.host.prompts).toMatchObject([{ text: expect.stringContaining('Go on.') }])
    await clock.advance(1000)
    await reconciler.settle()
    expect(town.host.starts.length).toBeGreaterThan(1)
  })

  test('queued work continues as soon as the next period begins', async () => {
    await using world = await exhausted()
    const { city, clock, town, row } = world
    await city.store.write((tx) => city.sessionRecords.queue.add(tx, row.id, 'Go on.'))
    await clock.advance(60 * 60_000 - 10_000)
    expect(town.host.prompts).toEqual([])
    await clock.advance(10_000)
    await until(() => town.host.prompts.length === 1)
  })

  test('people see how much more was used, and what they can do', async () => {
    await using world = await exhausted()
    const { city, budgets } = world
    expect(budgets.list().items).toMatchObject([{ state: 'exhausted', spent: 1500, overshoot: 500 }])
    const { items } = await city.attention.list()
    expect(items).toMatchObject([{ kind: 'budget', rig: 'web', until: budgets.list().items[0]?.period_end ?? '' }])
    expect(items[0]?.asks).toContain('1,500 tokens of 1,000 tokens are used, 500 tokens more than it allows.')
    expect(items[0]?.to_do).toBe('wait, or raise it: gc budget set 2000tokens --per hour --rig web')
    await budgets.remove(human, limit)
    expect((await city.attention.list()).items).toEqual([])
  })

  test('that of the city holds sessions without an agent as well', async () => {
    await using world = await open()
    const { city, town, budgets, clock } = world
    await budgets.set(human, { scope: 'city', unit: 'tokens', per: 'hour', limit: 10 })
    await world.use(20)
    await city.sessions.creating.create(human, { kind: 'agent', name: 'web/worker' })
    await clock.advance(60_000)
    await city.reconciler.settle()
    expect(town.host.starts).toHaveLength(1)
  })
})

test('a budget in dollars counts a model without a price at the highest price that is known', async () => {
  await using world = await open()
  const set = { scope: 'city', unit: 'usd', per: 'day', limit: 5 } as const
  await world.budgets.set(human, set)
  await world.use(400, 'mystery')
  expect(world.budgets.list().items).toMatchObject([{ state: 'warned', spent: 4, assumed: 4 }])
  await world.use(200, 'mystery')
  expect(world.budgets.list().items).toMatchObject([{ state: 'exhausted', spent: 6, assumed: 6, overshoot: 1 }])
  const [mail] = world.city.mail.list({ agent: 'human' }).items
  expect(mail?.body).toContain('$6.00 of that are assumed as answers of models whose price is not known')
  expect(mail?.body).toContain('declare it in [[pricing]] of city.toml')
  expect(
    world.town.reports.filter((report) => report.includes('the price of model "mystery" is not known')),
  ).toHaveLength(1)
})

test('a day is as long as it is in local time, and a level is reached exactly at its threshold', () => {
  const now = new Date(2026, 3, 4, 15, 42).getTime()
  expect(periodOf('day', now)).toEqual({ start: new Date(2026, 3, 4).getTime(), end: new Date(2026, 3, 5).getTime() })
  expect(periodOf('hour', now)).toEqual({
    start: new Date(2026, 3, 4, 15).getTime(),
    end: new Date(2026, 3, 4, 16).getTime(),
  })
  expect([79.9, 80, 99.9, 100, 0].map((spent) => levelOf(spent, 100))).toEqual([0, 80, 80, 100, 0])
  expect(levelOf(0, 0)).toBe(100)
})

test.each([
  ['America/New_York', 'hour', '2026-11-01T06:30Z', '2026-11-01T06:00Z', '2026-11-01T07:00Z'],
  ['Australia/Lord_Howe', 'hour', '2026-04-04T15:15Z', '2026-04-04T14:30Z', '2026-04-04T15:30Z'],
  ['Asia/Kolkata', 'hour', '2026-04-04T15:15Z', '2026-04-04T14:30Z', '2026-04-04T15:30Z'],
  ['America/New_York', 'day', '2026-11-01T06:30Z', '2026-11-01T04:00Z', '2026-11-02T05:00Z'],
  ['America/Santiago', 'day', '2026-09-06T12:30Z', '2026-09-06T04:00Z', '2026-09-07T03:00Z'],
] as const)('in %s the %s of a budget at %s contains that time', (zone, per, at, start, end) => {
  const { TZ } = process.env
  process.env.TZ = zone
  try {
    expect(periodOf(per, Date.parse(at))).toEqual({ start: Date.parse(start), end: Date.parse(end) })
  } finally {
    process.env.TZ = TZ ?? ''
  }
})
