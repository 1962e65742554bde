import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { OperationCoverage } from '../support/coverage.ts'
import type { TestCity } from '../support/world.ts'
import { bead, errorOf, towns } from './town.ts'

const OPERATIONS = ['sling-convoy', 'list-bead-runs', 'get-default-target']
const coverage = new OperationCoverage(({ id }) => OPERATIONS.includes(id))
const openTown = towns(coverage)

const LINE = 'formula = "line"\n[requires]\nformula_compiler = ">=2.0.0"\n[[steps]]\nid = "do"\ntitle = "Do it"\n'

/** A town with a rig, whose work is for its worker by default, and a mayor; neither starts automatically. */
async function staffed() {
  const town = await openTown(`
prefix = "to"
[[rigs]]
name = "web"
path = "."
prefix = "we"
default_sling_target = "web/worker"
[[agent]]
name = "worker"
dir = "web"
start_command = "sleep 600"
suspended = true
[[agent]]
name = "mayor"
start_command = "sleep 600"
max_active_sessions = 1
suspended = true
`)
  mkdirSync(`${town.city.path}/formulas`)
  writeFileSync(`${town.city.path}/formulas/line.toml`, LINE)
  return town
}

const convoyOf = async (city: TestCity, items: string[]): Promise<string> =>
  (await city.call('POST ~/convoys', { body: { title: 'all', items } })).body.id

describe('a convoy', () => {
  test('is slung bead by bead, and says the outcome of each', async () => {
    await using town = await staffed()
    const { city } = town
    const [one, two] = [await bead(city, 'one'), await bead(city, 'two')]
    await city.call(`POST ~/bead/${two}/close`)
    const convoy = await convoyOf(city, [one, two])
    const seq = await city.head()
    const slung = await city.call('POST ~/sling/convoy', { body: { convoy, target: 'mayor' } })
    expect(slung.body).toEqual({
      ...{ convoy_id: convoy, target: 'mayor', total: 2, routed: 1, failed: 0, skipped: 1, idempotent: 0 },
      children: [
        { bead: one, outcome: 'routed' },
        { bead: two, outcome: 'skipped', reason: 'it is closed' },
      ],
    })
    const { items } = (await city.call('GET ~/events')).body
    const recorded = items.filter(
      (event: { seq: number; type: string }) => event.seq > seq && !/^attention/.test(event.type),
    )
    expect(recorded.map((event: { type: string; subject: string }) => `${event.type} ${event.subject}`)).toEqual([
      `bead.updated ${one}`,
    ])
  })

  test('is the input of a formula that is a graph, and lists its run', async () => {
    await using town = await staffed()
    const { city } = town
    const convoy = await convoyOf(city, [await bead(city, 'one')])
    const body = { convoy, target: 'mayor', formula: 'line' }
    const { run } = (await city.call('POST ~/sling/convoy', { body })).body
    expect((await city.call(`GET ~/bead/${convoy}/runs`)).body).toEqual({
      bead_id: convoy,
      runs: [{ run_id: run.run_id, title: expect.any(String), status: expect.any(String) }],
    })
    expect(await errorOf(city, 'POST ~/sling/convoy', { body })).toStartWith('409 sling-source-workflow-conflict: ')
    expect(await errorOf(city, 'GET ~/bead/to-99/runs')).toStartWith('404 bead-not-found: ')
  })

  test('is slung to somebody there is, and only while it is open', async () => {
    await using town = await staffed()
    const { city } = town
    const one = await bead(city, 'one')
    const convoy = await convoyOf(city, [one])
    const sling = (more: object) => errorOf(city, 'POST ~/sling/convoy', { body: { convoy, target: 'mayor', ...more } })
    expect(await sling({ convoy: one })).toStartWith('400 invalid-request: ')
    expect(await sling({ convoy: 'to-99' })).toStartWith('400 sling-missing-bead: ')
    expect(await sling({ target: 'ghost' })).toStartWith('404 agent-not-found: ')
    expect(await sling({ target: 'worker', rig: 'nowhere' })).toStartWith('404 rig-not-found: ')
    await city.call(`POST ~/convoy/${convoy}/close`)
    expect(await sling({ formula: 'line' })).toStartWith('409 conflict-wrong-state: ')
  })
})

describe('work that names no one', () => {
  test('is for the default target of its rig; without one, the answer says what to do', async () => {
    await using town = await staffed()
    const { city } = town
    const [ours, theirs] = [await bead(city, 'of the city'), await bead(city, 'of the rig', { rig: 'web' })]
    expect((await city.call(`GET ~/bead/${theirs}/default-target`)).body).toEqual({
      ...{ bead_id: theirs, target: 'web/worker', rig: 'web' },
    })
    expect(await errorOf(city, `GET ~/bead/${ours}/default-target`)).toContain(`gc sling <agent> ${ours}`)
    expect(await errorOf(city, 'GET ~/bead/to-99/default-target')).toStartWith('404 bead-not-found: ')
  })
})

test('the operations on convoys that are slung are covered with every declared error and field', () => {
  expect(coverage.uncovered()).toEqual([])
  expect(coverage.emptyFields()).toEqual([])
})
