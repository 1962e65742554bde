import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { OperationCoverage } from '../support/coverage.ts'
import { bead, declare, errorOf, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(({ tag, id }) => tag === 'sling' && id !== 'sling-convoy')
const openTown = towns(coverage)

/** A town with a rig, a pool in it and a mayor, none of which starts automatically. */
async function staffed() {
  const town = await openTown(`
prefix = "to"
[[rigs]]
name = "web"
path = "."
prefix = "we"
[[agent]]
name = "worker"
dir = "web"
start_command = "sleep 600"
max_active_sessions = 3
suspended = true
[[agent]]
name = "mayor"
start_command = "sleep 600"
max_active_sessions = 1
suspended = true
[[agent]]
name = "launchPlanner"
start_command = "sleep 600"
suspended = true
default_sling_formula = "not-there"
[[agent]]
name = "nobody"
start_command = "sleep 600"
max_active_sessions = 0
sling_query = "true"
`)
  return town
}

describe('slinging a bead', () => {
  test('routes it, creates a convoy for it, and records that once', async () => {
    await using town = await staffed()
    const { city } = town
    const id = await bead(city, 'work', { rig: 'web' })
    const seq = await city.head()
    const sling = () => city.call('POST ~/sling', { body: { target: 'web/worker', bead: id, merge: 'mr' } })
    const slung = await sling()
    expect(slung.body).toEqual({
      status: 'slung',
      target: 'web/worker',
      mode: 'direct',
      bead: id,
      warnings: ['agent web/worker is suspended'],
    })
    expect(slung.headers.get('location')).toBe(`/v0/city/${city.name}/runs`)
    expect((await city.call(`GET ~/bead/${id}`)).body).toMatchObject({
      status: 'open',
      metadata: { 'gc.routed_to': 'web/worker', merge_strategy: 'mr' },
    })
    const recorded = await city.recorded(seq)
    const convoy = recorded.find(({ type }) => type === 'convoy.created')?.subject ?? ''
    expect(recorded.map(({ type, subject }) => [type, subject])).toEqual([
      ['bead.updated', id],
      ['bead.created', convoy],
      ['convoy.created', convoy],
    ])
    expect((await city.call(`GET ~/convoy/${convoy}`)).body).toMatchObject({
      convoy: { title: `sling-${id}` },
      children: [{ id }],
    })
    const again = await city.head()
    expect((await sling()).status).toBe(200)
    expect(await city.recorded(again)).toEqual([])
  })

  test('accepts a bare name in a rig and a member of a pool, and returns every warning', async () => {
    await using town = await staffed()
    const { city } = town
    const id = await bead(city, 'work', { rig: 'web' })
    const sling = async (body: object) => (await city.call('POST ~/sling', { body: { bead: id, ...body } })).body
    expect(await sling({ target: 'worker', rig: 'web' })).toMatchObject({ target: 'web/worker' })
    expect(await sling({ target: 'web/worker-2', no_convoy: true })).toMatchObject({ target: 'web/worker' })
    const { warnings } = await sling({ target: 'nobody' })
    expect(warnings).toEqual([
      'agent nobody may have no sessions: its limit is 0',
      `bead ${id} was routed to web/worker before`,
    ])
    expect((await sling({ target: 'web/worker', force: true })).warnings).toBeUndefined()
  })

  test('takes it from its holder only on request', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor', {}, { max_active_sessions: 1 })
    await declare(city, 'other', {}, { max_active_sessions: 0 })
    const { token } = await startSession(city, 'mayor')
    const id = await bead(city, 'work')
    const { assignee } = (await city.call(`POST ~/bead/${id}/claim`, { token })).body
    const sling = async (more: object) =>
      (await city.call('POST ~/sling', { body: { target: 'other', bead: id, ...more } })).body
    expect((await sling({})).warnings).toContain(`bead ${id} stays assigned to ${assignee}; reassign takes it away`)
    expect((await city.call(`GET ~/bead/${id}`)).body).toMatchObject({ status: 'in_progress', assignee })
    await sling({ reassign: true })
    expect((await city.call(`GET ~/bead/${id}`)).body.assignee).toBeUndefined()
    expect((await city.call('GET ~/claims')).body.total).toBe(0)
    const lost = { token, body: { target: 'mayor', bead: id } }
    expect(await errorOf(city, 'POST ~/sling', lost)).toStartWith('409 claim-lost: ')
  })

  test('given only as text creates the bead as well: both, or nothing', async () => {
    await using town = await staffed()
    const { city } = town
    const seq = await city.head()
    const text = { target: 'web/worker', title: 'Paint it', description: 'Green.', merge: 'direct' }
    const { body } = await city.call('POST ~/sling/text', { body: text })
    expect(body).toMatchObject({ status: 'slung', target: 'web/worker', mode: 'direct', bead: 'we-1' })
    expect((await city.call('GET ~/bead/we-1')).body).toMatchObject({
      title: 'Paint it',
      description: 'Green.',
      metadata: { 'gc.routed_to': 'web/worker', merge_strategy: 'direct' },
    })
    const types = (await city.recorded(seq)).map(({ type }) => type)
    expect(types.filter((type) => type === 'convoy.created')).toHaveLength(1)
    expect(types.filter((type) => type === 'bead.created')).toHaveLength(2)
    const sling = async (more: object) =>
      (await errorOf(city, 'POST ~/sling/text', { body: { target: 'mayor', title: 'x', ...more } })).split(':', 1)[0]
    expect(await sling({ target: 'ghost' })).toBe('404 agent-not-found')
    expect(await sling({ rig: 'nowhere' })).toBe('404 rig-not-found')
    expect(await sling({ merge: 'somehow' })).toBe('400 invalid-request')
    expect(await sling({ owned: true, no_convoy: true })).toBe('400 invalid-request')
    expect(await sling({ title: 't'.repeat(1025) })).toBe('422 validation-failed')
  })

  test('keeps an owned convoy open', async () => {
    await using town = await staffed()
    const { city } = town
    const id = await bead(city, 'work')
    await city.call('POST ~/sling', { body: { target: 'mayor', bead: id, owned: true } })
    await city.call(`POST ~/bead/${id}/close`)
    const { items } = (await city.call('GET ~/convoys')).body
    expect(items).toMatchObject([{ title: `sling-${id}`, labels: ['owned'] }])
  })

  test('is rejected when options conflict or something does not exist', async () => {
    await using town = await staffed()
    const { city } = town
    const id = await bead(city, 'work')
    const done = await bead(city, 'done')
    await city.call(`POST ~/bead/${done}/close`)
    const convoy = (await city.call('POST ~/convoys', { body: { title: 'c' } })).body.id
    const sling = async (more: object) => {
      const body = { target: 'mayor', ...more }
      const checked = await city.call('POST ~/sling/check', { body })
      const error = await errorOf(city, 'POST ~/sling', { body })
      if (checked.status !== 200) expect(error).toStartWith(`${checked.status} ${checked.body.code}: `)
      return error.split(':', 1)[0]
    }
    const WRONG = '400 invalid-request'
    expect(await sling({})).toBe(WRONG)
    expect(await sling({ bead: id, formula: 'f' })).toBe(WRONG)
    expect(await sling({ bead: id, attached_bead_id: id })).toBe(WRONG)
    expect(await sling({ attached_bead_id: id })).toBe(WRONG)
    expect(await sling({ bead: id, title: 'x' })).toBe(WRONG)
    expect(await sling({ formula: 'f', scope_kind: 'rig' })).toBe(WRONG)
    expect(await sling({ formula: 'f', scope_kind: 'moon', scope_ref: 'x' })).toBe(WRONG)
    expect(await sling({ bead: id, owned: true, no_convoy: true })).toBe(WRONG)
    expect(await sling({ bead: id, merge: 'somehow' })).toBe(WRONG)
    expect(await sling({ formula: 'f', no_formula: true })).toBe(WRONG)
    expect(await sling({ bead: convoy })).toBe(WRONG)
    expect(await sling({ target: ' ', bead: id })).toBe(WRONG)
    expect(await sling({ target: 'ghost', bead: id })).toBe('404 agent-not-found')
    expect(await sling({ target: 'worker', rig: 'nowhere', bead: id })).toBe('404 rig-not-found')
    expect(await sling({ formula: 'f', scope_kind: 'city', scope_ref: 'elsewhere' })).toBe('404 scope-not-found')
    expect(await sling({ formula: 'f' })).toBe(WRONG)
    expect(await sling({ bead: 'to-99' })).toBe('400 sling-missing-bead')
    expect(await sling({ target: 'web/worker', bead: id })).toBe('400 sling-cross-rig')
    expect(await sling({ bead: done })).toBe('409 conflict-wrong-state')
    expect((await city.call(`GET ~/bead/${id}`)).body.metadata).toBeUndefined()
  })
})

describe('slinging a formula', () => {
  test('begins a run at its own address; for the same bead it conflicts', async () => {
    await using town = await staffed()
    const { city } = town
    const source =
      'formula = "line"\n[requires]\nformula_compiler = ">=2.0.0"\n[[steps]]\nid = "do"\ntitle = "Do {{issue}}"\n'
    mkdirSync(`${city.path}/formulas`)
    writeFileSync(`${city.path}/formulas/line.toml`, source)
    const id = await bead(city, 'work')
    const body = { target: 'launchPlanner', formula: 'line', attached_bead_id: id }
    const checked = await city.call('POST ~/sling/check', { body })
    expect(checked.body).toMatchObject({ target: 'launchPlanner', formula: 'line', bead: id })
    expect(checked.body.steps).toBe(1)
    const slung = await city.call('POST ~/sling', { body })
    const run = slung.body.workflow_id ?? ''
    expect(slung.body).toMatchObject({ mode: 'attached', attached_bead_id: id, run: { run_id: run, kind: 'sling' } })
    expect(slung.headers.get('location')).toBe(`/v0/city/${city.name}/runs/${run}`)
    expect(await errorOf(city, 'POST ~/sling', { body })).toStartWith('409 sling-source-workflow-conflict: ')
  })
})

describe('the sling operation', () => {
  test('is covered with every declared error', () => {
    expect(coverage.uncovered()).toEqual([])
  })

  test('fills every response field except the address of a page that gc does not serve', () => {
    expect(coverage.emptyFields()).toEqual(['SlingResponse.dashboard_url'])
  })
})
