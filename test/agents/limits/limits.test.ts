import { describe, expect, test } from 'bun:test'
import type { City } from '../../../src/city/city.ts'
import { human } from '../../../src/http/guard.ts'
import { type ScriptedTown, scriptedTown } from '../../support/city.ts'
import { until } from '../../support/until.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** The clock of a scripted town begins then. */
const START = Date.parse('2026-01-05T09:00:00Z')
const TOML = `[providers.mine]
base = "builtin:claude"
command = "cat"
path_check = "cat"
supports_acp = true
[[agent]]
name = "worker"
provider = "mine"
session = "acp"
max_active_sessions = 2
[[agent]]
name = "other"
start_command = "cat"
session = "acp"
`

/** A city in which a bead waits for an agent, whose session has begun to work on it. */
async function open(agent = 'worker') {
  const town = scriptedTown(TOML)
  const city = await town.open()
  await city.beads.create(human, { title: 'oil', metadata: { 'gc.routed_to': agent } })
  await settle(city)
  return { town, city, [Symbol.asyncDispose]: () => town[Symbol.asyncDispose]() }
}

const settle = (city: City) => city.reconciler.settle()

/** The program that runs says that its limit is reached. */
async function limit({ host }: ScriptedTown, city: City, text: string): Promise<void> {
  const [key = ''] = host.running
  await host.failTurn(key, text)
  await until(() => city.sessionRepository.findByHostKey(key) === undefined)
  await city.store.write(() => {})
  await settle(city)
}

const events = (city: City) =>
  city.log
    .after(0, 1000)
    .map(({ type }) => type)
    .filter((type) => type.startsWith('login.'))

describe('a login that reached its usage limit', () => {
  test('is left alone until the time that its program states, and not a moment longer', async () => {
    await using world = await open()
    const { town, city } = world
    await limit(town, city, "You've hit your session limit · resets 12:30pm (Europe/Berlin)")
    expect(town.host.running).toEqual([])
    expect(city.limits.all()).toMatchObject([{ login: 'claude', until: START + 2.5 * HOUR, stated: true }])
    expect(city.sessionRepository.live()).toMatchObject([{ state: 'quarantined', reason: 'rate_limit' }])
    await town.clock.advance(2.5 * HOUR - 1000)
    expect(town.host.running).toEqual([])
    await town.clock.advance(2000)
    await settle(city)
    expect(town.host.running).toHaveLength(1)
    expect(events(city)).toEqual(['login.limited'])
  })

  test('is tried after a minute, and after twice as long each time, when its program does not say', async () => {
    await using world = await open()
    const { town, city } = world
    const waits: number[] = []
    for (const _ of Array.from({ length: 8 })) {
      await limit(town, city, "You've hit your limit.")
      const [row] = city.limits.all()
      const wait = (row?.until ?? 0) - town.clock.now()
      waits.push(wait / MINUTE)
      await town.clock.advance(wait + 1000)
      await settle(city)
      expect(town.host.running).toHaveLength(1)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  })

  test('is forgotten once a model has answered on it', async () => {
    await using world = await open()
    const { town, city } = world
    await limit(town, city, "You've hit your limit.")
    await town.clock.advance(2 * MINUTE)
    await settle(city)
    await city.store.write((tx) => city.limits.worked(tx, 'claude', START + 30_000))
    expect(city.limits.all()).toHaveLength(1)
    await city.store.write((tx) => city.limits.worked(tx, 'claude', town.clock.now()))
    expect(city.limits.all()).toEqual([])
    expect(events(city)).toEqual(['login.limited', 'login.restored'])
  })

  test('does not hold what runs on another login', async () => {
    await using world = await open()
    const { town, city } = world
    await limit(town, city, "You've hit your limit.")
    await town.clock.advance(1)
    await city.beads.create(human, { title: 'glue', metadata: { 'gc.routed_to': 'other' } })
    await settle(city)
    expect(town.host.running).toHaveLength(1)
    await limit(town, city, 'quota exceeded')
    expect(city.limits.all().map(({ login }) => login)).toEqual(['claude', 'agent:other'])
  })

  test('is known again after the supervisor restarts', async () => {
    await using world = await open()
    const { town, city } = world
    await limit(town, city, "You've hit your session limit · resets 12:30pm (Europe/Berlin)")
    await city.close({ endSessions: false })
    const again = await town.open()
    await settle(again)
    expect(town.host.running).toEqual([])
    expect(again.limits.roomAt('claude')).toBe(START + 2.5 * HOUR)
    await again.close({ endSessions: false })
  })

  test('has room immediately when the clock jumps over its end, and no later when it is set back', async () => {
    await using world = await open()
    const { town, city } = world
    await limit(town, city, "You've hit your session limit · resets 12:30pm (Europe/Berlin)")
    town.clock.step(3 * HOUR)
    await settle(city)
    expect(town.host.running).toHaveLength(1)
    await limit(town, city, "You've hit your limit.")
    expect(city.limits.roomAt('claude') - town.clock.now()).toBe(2 * MINUTE)
    town.clock.step(-10 * HOUR)
    await settle(city)
    await town.clock.advance(2 * MINUTE + 1000)
    await settle(city)
    expect(town.host.running).toHaveLength(1)
  })
})

test('a limit is known within the write that states it, and never known if that fails', async () => {
  await using town = scriptedTown(TOML)
  const { limits, store, clock } = await town.open()
  const until = clock.now() + HOUR
  const login = { id: 'claude', provider: 'claude' }
  expect(limits.roomAt('claude')).toBe(0)
  const failed = store.write((tx) => {
    limits.reached(tx, login, { until, text: 'reached' })
    expect(limits.roomAt('claude')).toBe(until)
    throw new Error('given up')
  })
  await expect(failed).rejects.toThrow('given up')
  expect(limits.roomAt('claude')).toBe(0)
  await store.write((tx) => limits.reached(tx, login, { until, text: 'reached' }))
  expect(limits.roomAt('claude')).toBe(until)
  await store.write((tx) => limits.restore(tx, 'claude'))
  expect(limits.roomAt('claude')).toBe(0)
})
