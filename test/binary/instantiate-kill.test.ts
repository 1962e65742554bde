import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { register } from '../api/town.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'

const KILLS = Number(process.env.GC_KILLS ?? 3)
const STEPS = 1000

const TOML = `
[[agent]]
name = "pool"
start_command = "true"
max_active_sessions = 3
suspended = true
`

test('a graph that is being written when the supervisor is killed is there whole afterwards, or not at all', async () => {
  await using world = await World.open()
  const city = await register(world, 'mill', TOML)
  const steps = Array.from({ length: STEPS }, (_, n) => `[[steps]]\nid = "s${n}"\ntitle = "S"\n`).join('')
  mkdirSync(`${city.path}/formulas`)
  writeFileSync(
    `${city.path}/formulas/wide.toml`,
    `formula = "wide"\n[requires]\nformula_compiler = ">=2.0.0"\n${steps}`,
  )
  const { id } = (await city.call('POST ~/beads', { body: { title: 'work' } })).body
  const body = { target: 'pool', formula: 'wide', attached_bead_id: id, force: true }
  const counts = async () => {
    const { body: page } = await city.call('GET ~/beads?limit=1')
    const { body: runs } = await city.call('GET ~/runs')
    return { beads: Number(page.total), runs: Number(runs.runs?.length) }
  }
  for (let kill = 0; kill < KILLS; kill++) {
    const before = await counts()
    const slung = city.call('POST ~/sling', { body }).catch(() => undefined)
    await Bun.sleep(40 + kill * 60)
    await world.kill()
    await slung
    await world.start()
    // The convoy, the root, the steps and the finalizer.
    const isWhole = (now: typeof before) => now.runs === before.runs + 1 && now.beads === before.beads + STEPS + 3
    const isGone = (now: typeof before) => now.runs === before.runs && now.beads === before.beads
    await eventually('whole or gone', 10_000, counts, (now) => isWhole(now) || isGone(now))
  }
  expect((await city.call('POST ~/sling', { body })).status).toBe(200)
}, 60_000)
