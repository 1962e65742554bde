import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { World } from '../support/world.ts'

test('no session host runs before the first session, whatever is read', async () => {
  await using world = await World.open()
  const city = await world.city('town', { start_command: 'sleep 600' })
  const reads = ['GET ~/status', 'GET ~/sessions', 'GET ~/agents', 'GET ~/attention', 'GET ~/beads']
  for (const read of reads) expect((await city.call(read)).status).toBe(200)
  expect((await world.call('GET /v0/host')).body).toEqual({ items: [], total: 0 })
  expect(readdirSync(world.home)).not.toContain('host')
})
