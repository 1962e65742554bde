import { describe, expect, test } from 'bun:test'
import { Budgets } from '../../../src/agents/budgets/budgets.ts'
import { levelOf, periodOf } from '../../../src/agents/budgets/period.ts'
import type { UsageOwner } from '../../../src/agents/usage/usage.ts'
import type { Tx } from '../../../src/core/store.ts'
import type { Caller } from '../../../src/http/caller.ts'
import { testTown } from '../../support/city.ts'
import { TestClock } from '../../support/clock.ts'
import { idleHost } from '../../support/idle-host.ts'

const TOML = `[[rigs]]
name = "web"
path = "/tmp"
[[agent]]
name = "worker"
dir = "web"
start_command = "cat"
`
const human: Caller = { kind: 'human' }
const worker = { qualified: 'web/worker', dir: 'web' }

/** Budgets of a city whose usage the test sets. */
async function open() {
  const clock = new TestClock()
  const town = testTown(TOML, { clock, host: idleHost() })
  const city = await town.open()
  const { store, log, mail } = city
  let used = { tokens: 0, usd: 0 }
  let onUse = (_: Tx, __: UsageOwner) => {}
  const usage = {
    spent: () => used,
    onUsage: (listener: typeof onUse) => {
      onUse = listener
    },
  }
  const budgets = new Budgets({ ...city, usage, notify: (tx, subject, body) => mail.notifyPeople(tx, subject, body) })
  return {
    budgets,
    clock,
    /** The subjects of the mail to people, oldest first. */
    subjects: () =>
      mail
        .list({ agent: 'human' })
        .items.map(({ subject }) => subject)
        .reverse(),
    use: (tokens: number) => {
      used = { tokens, usd: tokens / 100 }
      return store.write((tx) => onUse(tx, { agent: 'web/worker', rig: 'web' }))
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
    await world.use(800)
    await world.use(850)
    expect(budgets.blocks(worker)).toBeUndefined()
    await world.use(1000)
    await world.use(1100)
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
    await world.use(1000)
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
