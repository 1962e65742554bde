import { readFileSync } from 'node:fs'
import type { RecordedEvent } from '../../src/core/events/event.ts'
import { PROGRAM, type TestCity, World } from '../support/world.ts'

/**
 * A free port: agents know the address of their supervisor, so it is restarted at the same one. It lies below the
 * ephemeral ports, because an outgoing connection could take one of those.
 */
export async function freePort(): Promise<string> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    try {
      await Bun.serve({ port, hostname: '127.0.0.1', fetch: () => new Response() }).stop(true)
      return String(port)
    } catch {
      // It is in use: try another one.
    }
  }
}

/** Waits until the city responds, after a start. */
export async function up(city: TestCity, ms = 15_000): Promise<void> {
  const end = performance.now() + ms
  while (performance.now() < end) {
    const { status } = await city.call('GET ~').catch(() => ({ status: 0 }))
    if (status === 200) return
    await Bun.sleep(10)
  }
  throw new Error(`${city.name} did not come up within ${ms} ms: ${city.world.log}`)
}

/** All events of a city, oldest first. */
export async function history(city: TestCity): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = []
  let cursor = ''
  do {
    const { body } = await city.call(`GET ~/events?limit=1000${cursor && `&cursor=${cursor}`}`)
    all.push(...body.items)
    cursor = body.next_cursor ?? ''
  } while (cursor)
  return all.reverse()
}

/** All items of a paged list. */
// biome-ignore lint/suspicious/noExplicitAny: lists are of every shape
export async function everything(city: TestCity, path: string): Promise<any[]> {
  const all: unknown[] = []
  let cursor = ''
  do {
    const { status, body } = await city.call(`GET ${path}&limit=1000${cursor && `&cursor=${cursor}`}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    all.push(...body.items)
    cursor = body.next_cursor ?? ''
  } while (cursor)
  return all
}

/** Count of each line in a log that agents write. */
export function tally(path: string): Map<string, number> {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return new Map([...Map.groupBy(lines, (line) => line)].map(([line, all]) => [line, all.length]))
}

/** Random numbers that are the same for the same seed. */
export function dice(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export { PROGRAM, World }
