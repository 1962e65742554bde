import { describe, expect, test } from 'bun:test'
import { unlinkSync } from 'node:fs'
import { UsageCollector } from '../../../src/agents/usage/collector.ts'
import { daysUntil, usageHistory } from '../../../src/agents/usage/history.ts'
import { PriceLists } from '../../../src/agents/usage/price-list.ts'
import { Prices } from '../../../src/agents/usage/prices.ts'
import { sanitizeUsage } from '../../../src/agents/usage/sanitize.ts'
import { type UsageFact, UsageStore } from '../../../src/agents/usage/usage-store.ts'
import { cityMigrations } from '../../../src/city/database/migrations.ts'
import { Config } from '../../../src/config/compose/config.ts'
import { command } from '../../../src/core/store/index.ts'
import { Store } from '../../../src/core/store/store.ts'
import type { Entry, ModelUsage } from '../../../src/programs/entries/entry.ts'
import { write } from '../../programs/samples.ts'
import { tempFolder } from '../../support/folder.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2026, 3, 4, 12)
const tokens = { input: 1_000_000, output: 100_000, cacheRead: 2_000_000, cacheWrite: 200_000, reasoning: 0 }
const use = (id: string, more: Partial<ModelUsage> = {}): ModelUsage => ({
  id,
  model: 'claude-opus-4-8',
  tokens,
  timestamp: NOON,
  ...more,
})

const listPrices = (path: string, reports: string[] = []) => new PriceLists(path, (message) => reports.push(message))

describe('the cost of a response', () => {
  test('is the declared price, else what its log reports, else the list price, else not known', async () => {
    using folder = tempFolder()
    write(folder.at('city.toml'), '[workspace]\nname = "mill"\n')
    const plain = new Prices(await Config.open(folder.path), listPrices(folder.at('prices.json')))
    expect(plain.cost('claude', use('a'))).toBeCloseTo(5 + 2.5 + 1 + 1.25)
    expect(plain.cost('opencode', use('a', { model: 'other', cost: 0.5 }))).toBe(0.5)
    expect(plain.cost('codex', use('a', { model: 'gpt-5.5' }))).toBeCloseTo(10 + 4.5 + 2)
    expect(plain.cost('codex', use('a', { model: 'gpt-5.9' }))).toBeUndefined()
    const declared = `[workspace]\nname = "mill"
[[pricing]]
provider = "codex"
model = "gpt-5.9"
[pricing.tier]
prompt_usd_per_1m = 2.0
completion_usd_per_1m = 10
`
    write(folder.at('city.toml'), declared)
    const own = new Prices(await Config.open(folder.path), listPrices(folder.at('prices.json')))
    expect(own.cost('codex', use('a', { model: 'gpt-5.9-codex' }))).toBeCloseTo(3)
    expect(own.cost('claude', use('a', { model: 'gpt-5.9' }))).toBeUndefined()
  })
})

test('a response of a model without a price is taken to cost as much as one of the dearest model', async () => {
  using folder = tempFolder()
  const declared = `[workspace]\nname = "mill"\n[[pricing]]\nmodel = "gold"\n[pricing.tier]\nprompt_usd_per_1m = 7\ncompletion_usd_per_1m = 900\n`
  write(folder.at('city.toml'), declared)
  const rates = { prompt_usd_per_1m: 30, completion_usd_per_1m: 60, cache_read_usd_per_1m: 4 }
  const cheap = { model: 'cheap', prompt_usd_per_1m: 1, completion_usd_per_1m: 1, cache_creation_usd_per_1m: 5 }
  write(folder.at('prices.json'), JSON.stringify({ date: '2027-01-02', models: [{ model: 'dear', ...rates }, cheap] }))
  const prices = new Prices(await Config.open(folder.path), listPrices(folder.at('prices.json')))
  expect(prices.ceiling(use('a', { tokens: { ...tokens, output: 0 } }))).toBeCloseTo(30 + 8 + 1)
  expect(prices.ceiling(use('a'))).toBeCloseTo(7 + 90)
})

describe('list prices', () => {
  const builtin = listPrices('/nowhere/prices.json')
  const rates = { prompt_usd_per_1m: 7, completion_usd_per_1m: 8 }
  const file = (...models: object[]) => JSON.stringify({ date: '2027-01-02', models })

  test('name a day and list the newest models first', () => {
    expect(builtin.current.source).toBe('builtin')
    expect(builtin.current.date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(builtin.current.models[0]?.model).toBe('haiku-5-5')
  })

  test('are those of the longest name that matches the version of a model', () => {
    const prompt = (model: string, promptTokens = 1) => builtin.find(model, promptTokens)?.prompt_usd_per_1m
    expect(prompt('claude-opus-5-5')).toBe(4)
    expect(prompt('claude-opus-5-5-20260922')).toBe(4)
    expect(prompt('claude-opus-5[1m]')).toBe(5)
    expect(prompt('claude-opus-5-20260724')).toBe(5)
    expect(prompt('us.anthropic.claude-sonnet-4-6-v1:0')).toBe(3)
    expect(prompt('claude-opus-5-7')).toBeUndefined()
    expect(prompt('claude-opus-51')).toBeUndefined()
    expect([prompt('claude-haiku-5-5', 100_000), prompt('claude-haiku-5-5', 100_001)]).toEqual([0.1, 0.5])
  })

  test.each([
    ['gpt-5.5-codex', 5],
    ['gpt-5.1-codex-max', 1.25],
    ['gpt-5.1-codex-mini', 0.25],
    ['openai/gpt-5-2025-08-07', 1.25],
    ['gpt-5.6-luna', 0.2],
    ['gemini-2.5-pro', 1.25],
    ['gemini-2.5-flash-lite', 0.1],
    ['gemini-3-pro-preview', 2],
    ['gemini-3.1-flash-lite-preview', 0.25],
    ['moonshotai/Kimi-K2.6', 0.95],
    ['zai/glm-5.2', 1.4],
    ['deepseek-v4-pro', 0.435],
    ['grok-code-fast-1', 0.2],
    ['gpt-5.5-pro', undefined],
    ['gpt-5.7', undefined],
    ['gemini-4-pro', undefined],
  ])('know the model %s, or that it has no price', (model, price) => {
    expect(builtin.find(model, 1)?.prompt_usd_per_1m).toBe(price)
  })

  test('are higher for long prompts where their vendor charges that', () => {
    const rates = { prompt_usd_per_1m: 2.5, completion_usd_per_1m: 15, cache_read_usd_per_1m: 0.25 }
    expect(builtin.find('gemini-2.5-pro', 200_001)).toMatchObject(rates)
    expect(builtin.find('gpt-5.4', 272_001)?.completion_usd_per_1m).toBe(22.5)
  })

  test('are replaced by a file, which is read again when it changes', () => {
    using folder = tempFolder()
    const lists = listPrices(folder.at('prices.json'))
    expect(lists.current.source).toBe('builtin')
    write(folder.at('prices.json'), file({ model: 'gpt-5.5', ...rates }))
    expect(lists.current).toEqual({ date: '2027-01-02', source: 'file', models: [{ model: 'gpt-5.5', ...rates }] })
    expect(lists.find('gpt-5.5-codex', 1)).toMatchObject(rates)
    expect(lists.find('claude-opus-5-5', 1)).toBeUndefined()
    unlinkSync(folder.at('prices.json'))
    expect(lists.find('claude-opus-5-5', 1)).toMatchObject({ prompt_usd_per_1m: 4 })
  })

  test('stay the built-in ones when the file is invalid, which is reported once', () => {
    using folder = tempFolder()
    const reports: string[] = []
    const path = folder.at('prices.json')
    const lists = listPrices(path, reports)
    write(path, '{ "date": }')
    expect([lists.current.source, lists.current.source]).toEqual(['builtin', 'builtin'])
    write(path, file({ model: 'gpt-5.5', ...rates, prompt_usd_per_1m: 'seven' }))
    expect(lists.find('claude-opus-5-5', 1)).toMatchObject({ prompt_usd_per_1m: 4 })
    const end = `; the built-in prices of ${builtin.current.date} apply`
    expect(reports).toEqual([
      `${path} is ignored: it is not JSON: unexpected "}" at line 1, column 11${end}`,
      `${path} is ignored: models.0.prompt_usd_per_1m: expected number${end}`,
    ])
  })
})

describe('the usage of a response in a log', () => {
  test('is limited to what is plausible: no usage in the future, and none below zero', () => {
    const odd = { input: -5, output: 1.4, cacheRead: 1e300, cacheWrite: 0, reasoning: 0 }
    expect(
      sanitizeUsage(use('a', { tokens: odd, timestamp: NOON + HOUR, cost: -3, model: 'm'.repeat(500) }), NOON),
    ).toEqual({
      ...{ id: 'a', model: 'm'.repeat(200), timestamp: NOON, cost: 0 },
      tokens: { input: 0, output: 1, cacheRead: 1e9, cacheWrite: 0, reasoning: 0 },
    })
    expect(sanitizeUsage(use('a'), NOON)).toEqual(use('a'))
  })
})

describe('the usage in a log', () => {
  const entry = (id: string, more: Partial<Entry> = {}): Entry => ({
    ...{
      id,
      boundary: false,
      timestamp: 0,
      raw: id,
      speaker: 'assistant',
      role: 'assistant',
      turn: undefined,
      partial: false,
    },
    blocks: () => [],
    ...more,
  })
  const snapshot = (...entries: Entry[]) => ({ entries, recorded: entries, hasBranches: false, key: 'k' })

  test('is collected as soon as it is logged, and again whenever a response has used more', () => {
    const collector = new UsageCollector()
    const more = { ...tokens, output: 200_000 }
    const first = entry('1', { usage: use('m1') })
    expect(collector.collect('s', snapshot(first)).map(({ id }) => id)).toEqual(['m1'])
    const second = entry('2', { usage: use('m1', { tokens: more }) })
    expect(collector.collect('s', snapshot(first, second, entry('3')))).toMatchObject([{ id: 'm1', tokens: more }])
    const last = entry('4', { usage: use('m2'), turn: 'idle' })
    expect(collector.collect('s', snapshot(first, second, entry('3'), last)).map(({ id }) => id)).toEqual(['m2'])
    expect(collector.collect('s', snapshot(first, second, entry('3'), last))).toEqual([])
  })
})

describe('the usage store', () => {
  const fact = (name: string, at: number, more: Partial<UsageFact> = {}): UsageFact => ({
    ...{ name, at, kind: 'model', sessionId: 's1', worker: 'bob', agent: 'web/worker', rig: 'web', model: 'm' },
    ...{ input: 10, output: 5, cacheRead: 100, cacheWrite: 1, wallMs: 0, cost: 0.25 },
    ...more,
  })

  test('counts a response that grows by as much as it grew, in the quarter hour in which it began', async () => {
    using folder = tempFolder()
    const store = Store.open(folder.at('city.db'), cityMigrations)
    const usageStore = new UsageStore(store)
    const add = (one: UsageFact) => store.write((tx) => usageStore.add(tx, one))
    expect(await add(fact('a', NOON))).toBe(true)
    expect(await add(fact('a', NOON + HOUR, { output: 25, cost: 0.75 }))).toBe(true)
    expect(usageStore.totals(NOON)).toMatchObject({
      invocations: 1,
      input_tokens: 10,
      output_tokens: 25,
      cost_usd_estimate: 0.75,
    })
    expect(usageStore.spent({ scope: 'city', name: '' }, NOON)).toMatchObject({ tokens: 136, usd: 0.75 })
    expect(usageStore.spent({ scope: 'city', name: '' }, NOON + HOUR).tokens).toBe(0)
    await store.close()
  })

  test('sums each day by agent and model, with what responses grow by, and knows days from before that was kept', async () => {
    using folder = tempFolder()
    const before = cityMigrations.slice(
      0,
      cityMigrations.findIndex((migration) => migration.includes('usage_days')),
    )
    const older = Store.open(folder.at('city.db'), before)
    const insert = command<
      [number]
    >(`INSERT INTO usage_facts (key, at, kind, session_id, worker, agent, rig, model, input, cost)
       VALUES ('k', ?, 'model', 's0', 'old', 'clerk', '', 'm', 7, 0.5)`)
    await older.write((tx) => void tx.run(insert, NOON - 48 * HOUR))
    await older.close()
    const store = Store.open(folder.at('city.db'), cityMigrations)
    const usageStore = new UsageStore(store)
    const add = (one: UsageFact) => store.write((tx) => usageStore.add(tx, one))
    await add(fact('a', NOON - 24 * HOUR))
    await add(fact('b', NOON))
    await add(fact('b', NOON + HOUR, { output: 25, cost: 0.75 }))
    await add(fact('c', NOON, { model: 'n', agent: 'clerk', rig: '', cost: undefined }))
    await add(fact('r', NOON, { kind: 'compute', input: 0, output: 0, cacheRead: 0, cacheWrite: 0, wallMs: 9 }))
    const days = daysUntil(NOON, 3)
    expect(days).toEqual(['2026-04-02', '2026-04-03', '2026-04-04'])
    const { city, agents, models } = usageHistory(days, usageStore.days.since(days[0] ?? ''))
    expect(city).toEqual({
      ...{ name: '', invocations: 4, tokens: 375, cost_usd_estimate: 1.5, unpriced: 1 },
      ...{ daily_tokens: [7, 116, 252], daily_cost_usd: [0.5, 0.25, 0.75] },
    })
    expect(agents.map(({ name, daily_tokens }) => [name, daily_tokens])).toEqual([
      ['web/worker', [0, 116, 136]],
      ['clerk', [7, 0, 116]],
    ])
    expect(models.map(({ name, tokens }) => [name, tokens])).toEqual([
      ['m', 259],
      ['n', 116],
    ])
    await store.close()
  })

  test('counts each fact once and sums up any period', async () => {
    using folder = tempFolder()
    const store = Store.open(folder.at('city.db'), cityMigrations)
    const usageStore = new UsageStore(store)
    const add = (one: UsageFact) => store.write((tx) => usageStore.add(tx, one))
    expect(await add(fact('a', NOON - 30 * HOUR))).toBe(true)
    expect(await add(fact('b', NOON - HOUR))).toBe(true)
    expect(await add(fact('b', NOON - HOUR))).toBe(false)
    expect(await add(fact('b', NOON - 1000, { input: 8, output: 1, cost: 0.125 }))).toBe(false)
    await add(fact('c', NOON - 60_000, { sessionId: 's2', worker: 'eve', cost: undefined, agent: 'clerk', rig: '' }))
    await add(
      fact('r', NOON - 1000, {
        kind: 'compute',
        input: 0,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        wallMs: 90_000,
        cost: undefined,
      }),
    )
    expect(usageStore.totals(NOON - 24 * HOUR)).toEqual({
      ...{ invocations: 2, compute_facts: 1, input_tokens: 20, output_tokens: 10, cache_read_tokens: 200 },
      ...{ cache_creation_tokens: 2, wall_seconds: 90, cost_usd_estimate: 0.25, unpriced: 1 },
    })
    expect(usageStore.totals(NOON - 7 * 60_000)).toMatchObject({ invocations: 1, compute_facts: 1 })
    expect(usageStore.totals(0)).toMatchObject({ invocations: 3 })
    expect(usageStore.bySession(NOON - 2 * HOUR).map(({ session }) => session)).toEqual(['bob', 'eve'])
    expect(usageStore.spent({ scope: 'agent', name: 'web/worker' }, NOON - 2 * HOUR)).toEqual({
      tokens: 116,
      usd: 0.25,
      assumed: 0,
    })
    expect(usageStore.spent({ scope: 'rig', name: 'web' }, NOON - 2 * HOUR).tokens).toBe(116)
    expect(usageStore.spent({ scope: 'city', name: '' }, NOON - 2 * HOUR).tokens).toBe(232)
    expect(usageStore.oldest).toBe(NOON - 30 * HOUR)
    await store.write((tx) => usageStore.prune(tx, NOON + 35 * 24 * HOUR - 2 * HOUR))
    expect([usageStore.oldest, usageStore.totals(0).invocations]).toEqual([NOON - HOUR, 3])
    await store.close()
  })
})
