import { expect, test } from 'bun:test'
import { open } from '../api/sse.ts'
import { World } from '../support/world.ts'

test('streams send a heartbeat without an id every 15 s', async () => {
  await using world = await World.open()
  const city = await world.city()
  await using events = await open(world, `/v0/city/${city.name}/events/stream`)
  await using all = await open(world, '/v0/events/stream')
  for (const stream of [events, all]) {
    const [beat] = await stream.until(1, 17_000)
    expect(beat).toMatch(/^event: heartbeat\ndata: \{"timestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"\}$/)
  }
}, 25_000)
