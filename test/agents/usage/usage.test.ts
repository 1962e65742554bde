import { describe, expect, test } from 'bun:test'
import type { Entry, ModelUsage } from '../../../src/agents/conversations/entries/entry.ts'
import { Harvest } from '../../../src/agents/usage/collector.ts'
import { Prices } from '../../../src/agents/usage/prices.ts'
import { believed } from '../../../src/agents/usage/sanitize.ts'
import { type Fact, Ledger } from '../../../src/agents/usage/usage-store.ts'
import { cityMigrations } from '../../../src/city/database/migrations.ts'
import { Config } from '../../../src/config/config.ts'
import { Store } from '../../../src/core/store.ts'
import { tempFolder } from '../../support/folder.ts'
import { write } from '../conversations/samples.ts'

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

describe('the price of an answer', () => {
  test('is by list, as its log says, or as the city declares; or not known', async () => {
    using folder = tempFolder()
    write(folder.at('city.toml'), '[workspace]\nname = "mill"\n')
    const plain = new Prices(await Config.open(folder.path))
    expect(plain.cost('claude', use('a'))).toBeCloseTo(5 + 2.5 + 1 + 1.25)
    expect(plain.cost('opencode', use('a', { model: 'other', cost: 0.5 }))).toBe(0.5)
    expect(plain.cost('codex', use('a', { model: 'gpt-5.5' }))).toBeUndefined()
    const declared = `[workspace]\nname = "mill"
[[pricing]]
provider = "codex"
model = "gpt-5.5"
[pricing.tier]
prompt_usd_per_1m = 2.0
completion_usd_per_1m = 10
`
    write(folder.at('city.toml'), declared)
    const own = new Prices(await Config.open(folder.path))
    expect(own.cost('codex', use('a', { model: 'gpt-5.5-codex' }))).toBeCloseTo(3)
    expect(own.cost('claude', use('a', { model: 'gpt-5.5' }))).toBeUndefined()
  })
})

describe('what a log tells of an answer', () => {
  test('is believed within reason: nothing is spent in the future, or less than nothing', () => {
    const odd = { input: -5, output: 1.4, cacheRead: 1e300, cacheWrite: 0, reasoning: 0 }
    expect(believed(use('a', { tokens: odd, timestamp: NOON + HOUR, cost: -3, model: 'm'.repeat(500) }), NOON)).toEqual(
      {
        ...{ id: 'a', model: 'm'.repeat(200), timestamp: NOON, cost: 0 },
        tokens: { input: 0, output: 1, cacheRead: 1e9, cacheWrite: 0, reasoning: 0 },
      },
    )
    expect(believed(use('a'), NOON)).toEqual(use('a'))
  })
})

describe('the answers in a log', () => {
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
  const view = (...entries: Entry[]) => ({ entries, hasBranches: false, key: 'k' })

  test('are counted once, when they are over, by their last entry', () => {
    const harvest = new Harvest()
    const begun = entry('1', { usage: use('m1', { timestamp: 1 }) })
    expect(harvest.of('s', view(begun))).toEqual([])
    const more = entry('2', { usage: use('m1', { timestamp: 2 }) })
    expect(harvest.of('s', view(begun, more, entry('3')))).toMatchObject([{ id: 'm1', timestamp: 2 }])
    const last = entry('4', { usage: use('m2'), turn: 'idle' })
    expect(harvest.of('s', view(begun, more, entry('3'), last)).map(({ id }) => id)).toEqual(['m2'])
    expect(harvest.of('s', view(begun, more, entry('3'), last))).toEqual([])
  })
})

describe('the ledger', () => {
  const fact = (name: string, at: number, more: Partial<Fact> = {}): Fact => ({
    ...{ name, at, kind: 'model', sessionId: 's1', worker: 'bob', agent: 'web/worker', rig: 'web', model: 'm' },
    ...{ input: 10, output: 5, cacheRead: 100, cacheWrite: 1, wallMs: 0, cost: 0.25 },
    ...more,
  })

  test('counts each thing once and adds up any span of time', async () => {
    using folder = tempFolder()
    const store = Store.open(folder.at('city.db'), cityMigrations)
    const ledger = new Ledger(store)
    const add = (one: Fact) => store.write((tx) => ledger.add(tx, one))
    expect(await add(fact('a', NOON - 30 * HOUR))).toBe(true)
    expect(await add(fact('b', NOON - HOUR))).toBe(true)
    expect(await add(fact('b', NOON - HOUR, { input: 9999 }))).toBe(false)
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
    expect(ledger.totals(NOON - 24 * HOUR)).toEqual({
      ...{ invocations: 2, compute_facts: 1, input_tokens: 20, output_tokens: 10, cache_read_tokens: 200 },
      ...{ cache_creation_tokens: 2, wall_seconds: 90, cost_usd_estimate: 0.25, unpriced: 1 },
    })
    expect(ledger.totals(NOON - 7 * 60_000)).toMatchObject({ invocations: 1, compute_facts: 1 })
    expect(ledger.totals(0)).toMatchObject({ invocations: 3 })
    expect(ledger.bySession(NOON - 2 * HOUR).map(({ session }) => session)).toEqual(['bob', 'eve'])
    expect(ledger.spent({ scope: 'agent', name: 'web/worker' }, NOON - 2 * HOUR)).toEqual({ tokens: 116, usd: 0.25 })
    expect(ledger.spent({ scope: 'rig', name: 'web' }, NOON - 2 * HOUR).tokens).toBe(116)
    expect(ledger.spent({ scope: 'city', name: '' }, NOON - 2 * HOUR).tokens).toBe(232)
    expect(ledger.oldest).toBe(NOON - 30 * HOUR)
    await store.write((tx) => ledger.prune(tx, NOON + 35 * 24 * HOUR - 2 * HOUR))
    expect([ledger.oldest, ledger.totals(0).invocations]).toEqual([NOON - HOUR, 3])
    await store.close()
  })
})
