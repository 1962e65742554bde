import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationCoverage } from '../support/coverage.ts'
import { bead, errorOf, towns } from './town.ts'

const coverage = new OperationCoverage(
  ({ path }) => path === '/v0/city/{cityName}' || /^\/v0\/city\/\{cityName\}\/(status|health)$/.test(path),
)
const openTown = towns(coverage)

const TOWN = `provider = "amp"
session_template = "{{.Agent}}"
[[rigs]]
name = "web"
path = "."
[[agent]]
name = "worker"
dir = "web"
start_command = "sleep 600"
min_active_sessions = 1
max_active_sessions = 2
[[agent]]
name = "mayor"
start_command = "sleep 600"
suspended = true
[[named_session]]
template = "mayor"
`

describe('a city', () => {
  test('returns its description', async () => {
    await using town = await openTown(TOWN)
    const { city } = town
    expect((await city.call('GET ~')).body).toEqual({
      name: city.name,
      path: city.path,
      version: expect.any(String),
      suspended: false,
      provider: 'amp',
      session_template: '{{.Agent}}',
      uptime_sec: expect.any(Number),
      agent_count: 2,
      rig_count: 1,
    })
    expect((await city.call('GET ~/health')).body).toEqual({
      status: 'ok',
      version: expect.any(String),
      city: city.name,
      uptime_sec: expect.any(Number),
    })
  })

  test('returns its status, and with lite omits what must be counted', async () => {
    await using town = await openTown(TOWN)
    const { city } = town
    await city.event(0, ({ type }) => type === 'session.woke')
    const [a, b] = [await bead(city, 'a'), await bead(city, 'b')]
    await city.call(`POST ~/bead/${a}/deps`, { body: { depends_on_id: b } })
    const { body } = await city.call('GET ~/status')
    expect(body).toMatchObject({
      name: city.name,
      path: city.path,
      suspended: false,
      agent_count: 3,
      rig_count: 1,
      running: 1,
      agents: { total: 3, running: 1, suspended: 1, quarantined: 0 },
      rigs: { total: 1, suspended: 0 },
      work: { in_progress: 0, ready: 1, open: 2 },
      mail: { unread: 0, total: 0 },
      store_health: { live_rows: expect.any(Number), warning: false },
      beads: { beads_store: 'sqlite', native_store_eligible: true },
      conditional_writes: { mode: 'require', effective: 'active', stores: [{ store_id: 'city' }] },
      rig_details: [{ name: 'web', path: city.path, suspended: false }],
      named_session_details: [{ identity: 'mayor', mode: 'on_demand', status: 'reserved-unmaterialized' }],
      session_counts_detail: { active: 1, suspended: 0 },
    })
    expect(body.store_health.size_bytes).toBeGreaterThan(0)
    expect(body.agent_details[0]).toEqual({
      name: 'worker-1',
      qualified_name: 'web/worker-1',
      scope: 'rig',
      running: true,
      suspended: false,
      session_name: expect.any(String),
      group_name: 'web/worker',
      expanded: true,
      scale_label: 'scaled (min=1, max=2)',
      draining: false,
    })
    const lite = (await city.call('GET ~/status?lite=true')).body
    expect(lite).toMatchObject({ running: 1, work: { in_progress: 0, ready: 0, open: 0 } })
    expect(lite.store_health).toBeUndefined()
  })

  test('reports why it is degraded', async () => {
    await using town = await openTown()
    const { city } = town
    writeFileSync(join(city.path, 'city.toml'), '[workspace\n')
    let body: { partial?: boolean; partial_errors?: string[] } = {}
    for (let tries = 0; tries < 1000 && !body.partial; tries++) {
      body = (await city.call('GET ~/status')).body
      await Bun.sleep(20)
    }
    expect(body.partial).toBe(true)
    expect(body.partial_errors?.join()).toContain('city.toml:1')
  })

  test('is suspended and resumed, each with one event', async () => {
    await using town = await openTown(TOWN)
    const { city } = town
    const woke = await city.event(0, ({ type }) => type === 'session.woke')
    const patch = (suspended: boolean) => city.call('PATCH ~', { body: { suspended } })
    expect((await patch(true)).body).toEqual({ status: 'ok' })
    expect((await city.call('GET ~')).body.suspended).toBe(true)
    expect(await city.types(() => patch(true))).toEqual([])
    await city.call(`POST ~/session/${woke.session_id}/kill`)
    await city.event(woke.seq, ({ type }) => type === 'session.stopped')
    const resumed = await city.head()
    await patch(false)
    await city.event(resumed, ({ type }) => type === 'session.woke')
    const types = (await city.recorded(0)).map(({ type }) => type).filter((type) => type.startsWith('city.'))
    expect(types).toEqual(['city.suspended', 'city.resumed'])
    expect(await errorOf(city, 'PATCH ~', { body: {} })).toBe(
      '400 invalid-request: no fields to update: give suspended',
    )
  })
})

describe('the operations on a city', () => {
  test('are covered with success and every declared error', () => {
    expect(coverage.uncovered()).toEqual([])
  })

  test('fill every response field except those of other stores and of confinement', () => {
    const elsewhere =
      /^(StatusRolloutNotice|BeadsDiagnostic)\.|\.(dolt_version|reason|notices|last_gc_at|last_gc_status)$/
    expect(coverage.emptyFields().filter((field) => !elsewhere.test(field))).toEqual([])
  })
})
