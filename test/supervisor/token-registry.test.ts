import { describe, expect, test } from 'bun:test'
import { CityTokens } from '../../src/city/tokens.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { Store } from '../../src/core/store/store.ts'
import type { LiveToken } from '../../src/http/tokens.ts'
import { supervisorMigrations } from '../../src/supervisor/migrations.ts'
import { TokenRegistry } from '../../src/supervisor/token-registry.ts'
import { TestClock } from '../support/clock.ts'
import { tempFolder } from '../support/folder.ts'

const DAY = 24 * 3_600_000

/** A registry beside a running city called mill, whose tokens are set by hand. */
async function openRegistry() {
  const resources = new AsyncDisposableStack()
  const folder = resources.use(tempFolder())
  const clock = new TestClock()
  const deadlines = new Deadlines(clock, clock)
  resources.defer(() => deadlines.close())
  let canSync = true
  const sync = async () => {
    if (!canSync) throw new Error('the disk is gone')
  }
  const store = Store.open(folder.at('supervisor.db'), supervisorMigrations, { sync })
  resources.defer(() => store.close())
  const cityStore = Store.open(folder.at('city.db'), ['CREATE TABLE notes (n INTEGER)'])
  resources.defer(() => cityStore.close())
  const reports: string[] = []
  const live: LiveToken[] = []
  const tokens = new CityTokens([{ caller: () => undefined, listLive: () => live }])
  const registry = new TokenRegistry({
    ...{ store, clock, deadlines },
    findRunning: (name) => (name === 'mill' ? { store: cityStore, tokens } : undefined),
    report: (message) => reports.push(message),
  })
  resources.defer(() => registry.stop())
  const citiesOf = (hash: string) =>
    registry.find(hash).map(({ city, isLive }) => `${city} ${isLive ? 'live' : 'ended'}`)
  const settle = () => store.write(() => {})
  return {
    ...{ registry, store, cityStore, clock, live, reports, citiesOf, settle },
    breakDisk: () => {
      canSync = false
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe('the registry of tokens', () => {
  test('follows a city once its write is on disk, and not a write that is undone', async () => {
    await using world = await openRegistry()
    const mirror = world.registry.mirror('mill')
    await world.cityStore.write((tx) => mirror.issued(tx, { hash: 'a' }))
    const undone = world.cityStore.write((tx) => {
      mirror.issued(tx, { hash: 'b' })
      throw new Error('no')
    })
    await undone.catch(() => {})
    await world.settle()
    expect([world.citiesOf('a'), world.citiesOf('b')]).toEqual([['mill live'], []])
    await world.cityStore.write((tx) => mirror.ended(tx, 'a'))
    await world.settle()
    expect(world.citiesOf('a')).toEqual(['mill ended'])
  })

  test('becomes equal to the tokens of a city that opens', async () => {
    await using world = await openRegistry()
    const { registry, cityStore, live, clock } = world
    const mirror = registry.mirror('mill')
    await cityStore.write((tx) => {
      mirror.issued(tx, { hash: 'kept' })
      mirror.issued(tx, { hash: 'gone' })
      mirror.ended(tx, 'revived')
      registry.mirror('bakery').issued(tx, { hash: 'other' })
    })
    live.push({ hash: 'kept' }, { hash: 'missed' }, { hash: 'revived' }, { hash: 'brief', expiresAt: clock.now() + 10 })
    await registry.reconcile('mill')
    await world.settle()
    expect(['kept', 'gone', 'missed', 'revived', 'brief', 'other'].map((hash) => world.citiesOf(hash).join())).toEqual([
      'mill live',
      'mill ended',
      'mill live',
      'mill live',
      'mill live',
      'bakery live',
    ])
    await clock.advance(10)
    expect(world.citiesOf('brief')).toEqual(['mill ended'])
  })

  test('forgets the good tokens of a city that is unregistered, and keeps those that ended', async () => {
    await using world = await openRegistry()
    const { registry, cityStore } = world
    const mirror = registry.mirror('mill')
    await cityStore.write((tx) => {
      mirror.issued(tx, { hash: 'good' })
      mirror.ended(tx, 'over')
    })
    await world.store.write((tx) => registry.forget(tx, 'mill'))
    expect([world.citiesOf('good'), world.citiesOf('over')]).toEqual([[], ['mill ended']])
  })

  test('deletes tokens that ended more than a week ago', async () => {
    await using world = await openRegistry()
    const { registry, cityStore, clock } = world
    const mirror = registry.mirror('mill')
    await cityStore.write((tx) => {
      mirror.ended(tx, 'over')
      mirror.issued(tx, { hash: 'good' })
    })
    await world.settle()
    await registry.start()
    await clock.advance(7 * DAY)
    await world.settle()
    expect(world.citiesOf('over')).toEqual(['mill ended'])
    await clock.advance(DAY)
    await world.settle()
    expect([world.citiesOf('over'), world.citiesOf('good')]).toEqual([[], ['mill live']])
  })

  test('reports a change that it cannot write once, and does not try indefinitely', async () => {
    await using world = await openRegistry()
    const { registry, cityStore, clock, reports } = world
    const mirror = registry.mirror('mill')
    world.breakDisk()
    for (const hash of ['a', 'b']) await cityStore.write((tx) => mirror.issued(tx, { hash }))
    await world.settle().catch(() => {})
    expect(reports).toEqual([expect.stringContaining('the registry does not have the newest tokens of mill: ')])
    await clock.advance(5_000)
    expect(clock.armed).toBe(0)
  })
})
