import { expect, test } from 'bun:test'
import { GC } from '../../../src/core/actor.ts'
import { EventRetention, type RetentionLimits } from '../../../src/core/events/retention.ts'
import { EventArchives } from '../../../src/core/events/rotation.ts'
import { command } from '../../../src/core/store/index.ts'
import { until } from '../../support/until.ts'
import { eventWorld } from './world.ts'

const DAY = 86_400_000

/** Bytes that a row counts for besides its payload. */
const ROW_BYTES = 100

function retaining(bounds: RetentionLimits) {
  const world = eventWorld()
  const error: unknown[] = []
  const retention = () =>
    new EventRetention(world.store, world.log, world.clock, world.deadlines, (one) => error.push(one), bounds)
  return { world, retention, error }
}

const range = (world: ReturnType<typeof eventWorld>): string => `${world.log.oldest}-${world.log.head}`

test('events older than the age limit are deleted, and numbering continues', async () => {
  const { world, retention } = retaining({ days: 30, minEvents: 0 })
  await using _ = world
  await world.fill(1200)
  await world.clock.advance(20 * DAY)
  await world.fill(300)
  expect(await retention().run()).toBe(0)
  await world.clock.advance(11 * DAY)
  expect(await retention().run()).toBe(1200)
  expect(range(world)).toBe('1201-1500')
  await world.clock.advance(60 * DAY)
  expect(await retention().run()).toBe(300)
  expect(range(world)).toBe('1501-1500')
  expect(await world.record()).toBe(1501)
})

test('the newest events are kept whatever their age', async () => {
  const { world, retention } = retaining({ days: 1, minEvents: 100 })
  await using _ = world
  await world.fill(250)
  await world.clock.advance(9 * DAY)
  expect(await retention().run()).toBe(150)
  expect(range(world)).toBe('151-250')
})

test('the oldest events are deleted until the rest fit the size limit', async () => {
  const { world, retention } = retaining({ bytes: 100_000, minEvents: 10, slice: 50 })
  await using _ = world
  const payload = { text: 'x'.repeat(900) }
  for (let n = 0; n < 400; n++) await world.record('note.written', 'ann', payload)
  const needed = 400 - Math.floor(100_000 / (JSON.stringify(payload).length + ROW_BYTES))
  // Events go in whole slices; a slow machine ends a slice early.
  const expectGone = (gone: number, needed: number) => {
    expect(gone).toBeGreaterThanOrEqual(needed)
    expect(gone).toBeLessThan(needed + 50)
  }
  const gone = await retention().run()
  expectGone(gone, needed)
  expect(await retention().run()).toBe(0)
  await world.reopen()
  for (let n = 0; n < 100; n++) await world.record('note.written', 'ann', payload)
  expectGone(gone + (await retention().run()), needed + 100)
})

test('the event loop runs between slices, and no slice exceeds its limit', async () => {
  const { world, retention } = retaining({ days: 1, minEvents: 100, slice: 250 })
  await using _ = world
  await world.fill(30_000)
  await world.clock.advance(2 * DAY)
  let worst = 0
  let running = true
  const watch = (async () => {
    for (let last = world.log.oldest; running; last = world.log.oldest) {
      await new Promise((resolve) => setImmediate(resolve))
      worst = Math.max(worst, world.log.oldest - last)
    }
  })()
  expect(await retention().run()).toBe(29_900)
  running = false
  await watch
  expect(worst).toBe(250)
})

test('events that a pending archive still needs are kept', async () => {
  const { world, retention } = retaining({ days: 1, minEvents: 0 })
  await using _ = world
  await world.fill(100)
  const archives = new EventArchives(
    world.store,
    world.log,
    world.clock,
    world.deadlines,
    () => ({ age: 0, bytes: 0 }),
    () => {},
  )
  await (await archives.rotate(GC))?.written
  await world.fill(20)
  await world.store.write((tx) => {
    tx.run(command("INSERT INTO event_archives VALUES (121, 101, '/nowhere', 0, 0)"))
  })
  await world.clock.advance(2 * DAY)
  await retention().run()
  expect(range(world)).toBe('101-121')
})

test('retention runs at start and every hour until it is stopped', async () => {
  const { world, retention, error } = retaining({ days: 1, minEvents: 0 })
  await using _ = world
  await world.fill(10)
  const running = retention()
  running.start()
  await until(() => world.deadlines.size === 1)
  await world.clock.advance(2 * DAY)
  await until(() => world.deadlines.size === 1 && world.log.oldest > 1)
  expect(range(world)).toBe('11-10')
  await world.fill(5)
  await world.clock.advance(3_600_000)
  await until(() => world.deadlines.size === 1)
  expect(range(world)).toBe('11-15')
  await running.stop()
  expect(world.deadlines.size).toBe(0)
  expect(error).toEqual([])
})
