import { expect, test } from 'bun:test'
import { readFileSync, readlinkSync } from 'node:fs'
import { bead } from '../api/town.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'

/** Megabytes of its program's file that a process has mapped: code, constants and compiled modules. */
function mapped(pid: number): number {
  const program = readlinkSync(`/proc/${pid}/exe`)
  const mappings = readFileSync(`/proc/${pid}/smaps`, 'utf8').split(/^VmFlags:.*\n/m)
  const own = mappings.filter((mapping) => mapping.includes(program))
  return own.reduce((sum, mapping) => sum + Number(/^Rss: +(\d+) kB$/m.exec(mapping)?.[1]), 0) / 1_024
}

test('a supervisor that has become idle keeps little of its program mapped, and works again when asked to', async () => {
  await using world = await World.open()
  const city = await world.city()
  await bead(city, 'Mend the fence')
  const used = mapped(world.pid)
  const look = async () => mapped(world.pid)
  await eventually('its program was released', 120_000, look, (megabytes) => megabytes < used / 2)
  const again = await bead(city, 'Paint the bridge')
  const { body } = await city.call('GET ~/beads')
  expect(body.items.map(({ title }: { title: string }) => title).sort()).toEqual(['Mend the fence', 'Paint the bridge'])
  expect((await city.call(`POST ~/bead/${again}/close`)).status).toBe(200)
  await world.stop()
})
