import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { register } from '../api/town.ts'
import { addressOf, pidOf, testService, waitForState } from '../support/services.ts'
import { type TestCity, World } from '../support/world.ts'

const MB = 1024 * 1024
const GB = 1024 * MB
/**
 * A supervisor may grow by this much, whatever goes through it. The runtime keeps chunks that were
 * sent until it collects them: 125 to 140 MB after one gigabyte, 205 MB after four.
 */
const ROOM = 256 * MB

/** Resident memory of a process in bytes, the most that it had since it was asked to forget that. */
const peakOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

async function openCity(): Promise<{ world: World; city: TestCity } & AsyncDisposable> {
  const world = await World.open()
  const city = await register(world, 'mill', testService('echo'))
  await waitForState(city, 'echo', 'ready')
  await (await fetch(addressOf(city, 'echo', '/zeros?bytes=1000000'))).bytes()
  return { world, city, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

function zeros(bytes: number): ReadableStream<Uint8Array> {
  const chunk = new Uint8Array(MB)
  let left = bytes
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(chunk)
      left -= chunk.length
      if (left <= 0) controller.close()
    },
  })
}

test('a gigabyte goes through to a service in flat memory', async () => {
  await using opened = await openCity()
  const { world, city } = opened
  const before = peakOf(world.pid)
  const response = await fetch(addressOf(city, 'echo', '/count'), {
    ...{ method: 'POST', body: zeros(GB), headers: { 'X-GC-Request': '1' } },
  })
  expect(await response.text()).toBe(String(GB))
  expect(peakOf(world.pid) - before).toBeLessThan(ROOM)
}, 120_000)

test('a gigabyte comes back from a service in flat memory, also to a reader that is slow', async () => {
  await using opened = await openCity()
  const { world, city } = opened
  const before = peakOf(world.pid)
  const response = await fetch(addressOf(city, 'echo', `/zeros?bytes=${GB}`))
  let bytes = 0
  let next = 64 * MB
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes < next) continue
    next += 64 * MB
    await Bun.sleep(50)
  }
  expect(bytes).toBe(GB)
  expect(peakOf(world.pid) - before).toBeLessThan(ROOM)
  expect(await pidOf(city, 'echo')).toBeGreaterThan(0)
}, 120_000)

test('the output of a service stays within the limit of its log', async () => {
  const flood =
    '[[service]]\nname = "flood"\nkind = "proxy_process"\nprocess.command = ["sh", "-c", "yes a line of output | head -c 200000000; sleep 600"]\n'
  await using world = await World.open()
  const city = await register(world, 'mill', flood)
  const { log } = await (async () => {
    for (;;) {
      const { body } = await city.call('GET ~/service/flood/process')
      const { body: hosts } = await world.call('GET /v0/host')
      if (body.pid !== undefined && hosts.items.length > 0) return body
      await Bun.sleep(100)
    }
  })()
  await Bun.sleep(4_000)
  expect(Bun.file(log).size).toBeLessThanOrEqual(4 * MB)
  expect(Bun.file(`${log}.old`).size).toBeLessThanOrEqual(4 * MB)
  expect(Bun.file(`${log}.old`).size).toBeGreaterThan(0)
}, 60_000)
