import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { IDLE_MS, PageCache, UsedConnections } from '../../src/core/store/page-cache.ts'
import { TestClock } from '../support/clock.ts'
import { tempFolder } from '../support/folder.ts'
import { open } from './store-helpers.ts'

const MB = 1024 * 1024

/** Number of bytes that this process reads from files during some work. */
function bytesRead(work: () => void): number {
  const read = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
  const before = read()
  work()
  return read() - before
}

async function filled(path: string) {
  const clock = new TestClock()
  const notes = open(path, { timer: clock, checkpointAt: Number.POSITIVE_INFINITY })
  const texts = Array.from({ length: 4_096 }, (_, n) => `${n} `.padEnd(1_024, 'x'))
  await Promise.all(texts.map((text) => notes.add(text)))
  return { ...notes, clock }
}

test('a store keeps its pages in memory while it is used, and releases them once it is idle', async () => {
  using folder = tempFolder()
  const { store, texts, add, clock } = await filled(folder.at('a.db'))
  expect(bytesRead(texts)).toBeLessThan(MB)
  await clock.advance(IDLE_MS - 1)
  await add('y')
  await clock.advance(IDLE_MS - 1)
  store.beginRead()
  await clock.advance(IDLE_MS - 1)
  expect(bytesRead(texts)).toBeLessThan(MB)
  await clock.advance(2 * IDLE_MS)
  expect(bytesRead(texts)).toBeGreaterThan(3 * MB)
  expect(texts()).toHaveLength(4_097)
  await store.close()
})

test('an idle store sets no timer, and a closed one leaves none', async () => {
  using folder = tempFolder()
  const { store, clock } = await filled(folder.at('a.db'))
  expect(clock.armed).toBe(1)
  await clock.advance(2 * IDLE_MS)
  expect(clock.armed).toBe(0)
  store.beginRead()
  expect(clock.armed).toBe(1)
  await store.close()
  expect(clock.armed).toBe(0)
})

test('a burst is over once none of the connections is used any more, by then idle or closed', async () => {
  const clock = new TestClock()
  let bursts = 0
  const connections = new UsedConnections(() => bursts++)
  const cacheOf = () => new PageCache(new Database(':memory:'), clock, connections)
  const [first, second, third] = [cacheOf(), cacheOf(), cacheOf()]
  first.use()
  await clock.advance(IDLE_MS / 2)
  second.use()
  third.use()
  await clock.advance(IDLE_MS / 2)
  expect(bursts).toBe(0)
  third.close()
  third.close()
  expect(bursts).toBe(0)
  await clock.advance(IDLE_MS / 2)
  expect(bursts).toBe(1)
  first.use()
  first.close()
  expect(bursts).toBe(2)
})
