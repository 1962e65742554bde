import { expect, test } from 'bun:test'
import { memory } from '../bench/support/figures.ts'
import { attacks, createBeads, createPosts, GENEROUS, SilentReaders } from '../support/attacks.ts'
import { NetworkClient } from '../support/network.ts'
import { World } from '../support/world.ts'

const MAX_MB = 400

/** The most memory of a process in so many seconds, in megabytes. */
async function peakOf(pid: number, seconds: number): Promise<number> {
  let peak = 0
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await Bun.sleep(50)) {
    peak = Math.max(peak, memory(pid).resident)
  }
  return peak
}

test('readers that take nothing cost the server little memory, however much they ask for', async () => {
  await using network = await NetworkClient.open(GENEROUS)
  const { world } = network
  const { url, pid } = world
  const city = await world.city()
  await createBeads(url, city.name, 100, 20_000)
  const header = await createPosts(url, 100)
  const peaks: Record<string, number> = {}
  for (const doesRead of [false, true]) {
    using readers = new SilentReaders(url, doesRead)
    await attacks.waiting(readers, url, city.name)
    peaks[`waiting, ${doesRead ? 'read' : 'unread'}`] = await peakOf(pid, 8)
    expect(readers.responses).toBe(doesRead ? 2_000 : 0)
  }
  {
    await createBeads(url, city.name, 1_000, 25_000)
    using readers = new SilentReaders(url, false)
    await attacks.lists(readers, city.name)
    peaks.lists = await peakOf(pid, 4)
  }
  {
    using readers = new SilentReaders(url, false)
    await attacks.pages(readers, header)
    peaks.pages = await peakOf(pid, 4)
  }
  expect(Object.entries(peaks).filter(([, peak]) => peak > MAX_MB)).toEqual([])
  expect((await world.call('GET /health')).status).toBe(200)
}, 120_000)

test('a reader that takes nothing for half a minute is let go, and one that begins sooner gets all', async () => {
  await using world = await World.open()
  const city = await world.city()
  await createBeads(world.url, city.name, 1_000, 25_000)
  const path = `/v0/city/${city.name}/beads/ready`
  const close = 'Connection: close\r\n'
  const [late, inTime] = [new SilentReaders(world.url, false), new SilentReaders(world.url, false)]
  using _ = late
  using __ = inTime
  await Promise.all([late.ask([path], close), inTime.ask([path], close)])
  await Bun.sleep(15_000)
  await inTime.readOn()
  expect(inTime.received).toBeGreaterThan(25_000_000)
  await Bun.sleep(30_000)
  await late.readOn()
  expect(late.received).toBeLessThan(25_000_000)
}, 120_000)
