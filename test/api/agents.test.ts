import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationCoverage } from '../support/coverage.ts'
import type { TestCity } from '../support/world.ts'
import { bead, declare, errorOf, startSession, tokenOf, towns } from './town.ts'

const coverage = new OperationCoverage(({ tag }) => tag === 'agents')
const openTown = towns(coverage)

/** A town with a rig called web. */
async function withRig() {
  const town = await openTown()
  const path = town.world.rigFolder(`${town.city.name}-web`)
  await town.city.call('POST ~/rigs', { body: { name: 'web', path, prefix: 'we' } })
  return town
}

const types = async (city: TestCity, seq: number) => (await city.recorded(seq)).map(({ type }) => type)

describe('an agent', () => {
  test('that is running is shown with its session, its work and its screen', async () => {
    await using town = await withRig()
    const { city } = town
    await declare(
      city,
      'worker',
      { script: 'echo hello from the worker; exec sleep 600' },
      { dir: 'web', description: 'Does the work.', min_active_sessions: 1, max_active_sessions: 2 },
    )
    const woke = await city.event(0, ({ type }) => type === 'session.woke')
    const token = await tokenOf(town.world, woke.session_id ?? '')
    const id = await bead(city, 'work', { rig: 'web' })
    await city.call(`POST ~/bead/${id}/claim`, { token })
    const running = async (query: string) => (await city.call(`GET ~/agents?${query}`)).body.items
    const [row] = await running('running=true&peek=true&rig=web')
    expect(row).toMatchObject({
      description: 'Does the work.',
      running: true,
      suspended: false,
      rig: 'web',
      pool: 'web/worker',
      session: { name: expect.any(String), attached: false, last_activity: expect.any(String) },
      active_bead: id,
      pack_derived: true,
      state: 'working',
      available: true,
      last_output: expect.stringContaining('hello from the worker'),
    })
    expect(await running('pool=web/worker')).toHaveLength((await running('rig=web')).length)
    expect(await running('pool=nobody')).toEqual([])
    const [dir, base] = row.name.split('/')
    expect((await city.call(`GET ~/agent/${dir}/${base}`)).body).toMatchObject({ name: row.name, state: 'working' })
    const output = (await city.call(`GET ~/agent/${dir}/${base}/output`)).body
    expect(output).toMatchObject({ agent: row.name, format: 'text', turns: [{ role: 'output' }] })
    expect(output.turns[0].text).toContain('hello from the worker')
    for await (const frame of town.world.follow(`/v0/city/${city.name}/agent/${dir}/${base}/output/stream`)) {
      expect(frame).toMatchObject({ id: '1', event: 'turn', data: { agent: row.name } })
      break
    }
  })

  test('with a provider is created in a separate file, and one that cannot start reports the reason', async () => {
    await using town = await openTown()
    const { city } = town
    const seq = await city.head()
    const created = await city.call('POST ~/agents', { body: { name: 'mayor', provider: 'amp', scope: 'city' } })
    expect([created.status, created.body]).toEqual([201, { status: 'created', agent: 'mayor' }])
    expect(readFileSync(join(city.path, 'agents/mayor/agent.toml'), 'utf8')).toContain('provider = "amp"')
    const shown = (await city.call('GET ~/agent/mayor')).body
    expect(shown).toMatchObject({
      name: 'mayor',
      provider: 'amp',
      display_name: expect.any(String),
      running: false,
      state: 'stopped',
      available: false,
      unavailable_reason: expect.stringContaining('amp'),
    })
    expect(await types(city, seq)).toEqual(['config.changed'])
  })

  test('can be changed, suspended, resumed, restarted and removed', async () => {
    await using town = await withRig()
    const { city } = town
    await declare(city, 'solo', {}, { min_active_sessions: 1, max_active_sessions: 1 })
    await declare(city, 'worker', {}, { dir: 'web', max_active_sessions: 1 })
    const one = await city.event(0, ({ type }) => type === 'session.woke')
    for (const path of ['solo', 'web/worker']) {
      const changed = await city.call(`PATCH ~/agent/${path}`, { body: { suspended: true } })
      expect(changed.body).toEqual({ status: 'updated' })
      expect((await city.call(`GET ~/agent/${path}`)).body).toMatchObject({ suspended: true, state: 'suspended' })
    }
    await city.event(one.seq, ({ type }) => type === 'session.stopped')
    const resumed = await city.head()
    expect((await city.call('POST ~/agent/solo/resume')).body).toEqual({ status: 'ok' })
    const two = await city.event(resumed, ({ type }) => type === 'session.woke')
    expect((await city.call('POST ~/agent/solo/restart')).body).toEqual({ status: 'ok' })
    await city.event(two.seq, ({ type }) => type === 'session.woke')
    expect((await city.call('POST ~/agent/web/worker/resume')).body).toEqual({ status: 'ok' })
    expect((await city.call('GET ~/agent/web/worker')).body.suspended).toBe(false)
    const gone = await city.head()
    expect((await city.call('DELETE ~/agent/solo')).body).toEqual({ status: 'deleted' })
    await city.event(gone, ({ type }) => type === 'session.stopped')
    expect((await city.call('DELETE ~/agent/web/worker')).body).toEqual({ status: 'deleted' })
    expect((await city.call('GET ~/agents')).body).toEqual({ items: [], total: 0 })
    expect(existsSync(join(city.path, 'agents/solo'))).toBe(false)
  })

  test('that is not running is shown, and has no output', async () => {
    await using town = await withRig()
    const { city } = town
    await declare(city, 'worker', {}, { max_active_sessions: 2 })
    await declare(city, 'worker', {}, { dir: 'web', max_active_sessions: 2 })
    for (const path of ['worker-2', 'web/worker-2']) {
      expect((await city.call(`GET ~/agent/${path}`)).body).toMatchObject({ name: path, running: false })
      for (const output of ['output', 'output/stream']) {
        expect(await errorOf(city, `GET ~/agent/${path}/${output}`)).toBe(
          `404 agent-not-found: agent ${path} not running`,
        )
      }
    }
  })

  test('of the city is addressed by its bare name', async () => {
    await using town = await openTown()
    const { city, world } = town
    await declare(city, 'mayor', { script: 'echo good day; exec sleep 600' }, { min_active_sessions: 1 })
    await city.event(0, ({ type }) => type === 'session.woke')
    for await (const { data } of world.follow(`/v0/city/${city.name}/agent/mayor/output/stream`)) {
      if (JSON.stringify(data).includes('good day')) break
    }
    const { body } = await city.call('GET ~/agent/mayor/output?tail=0')
    expect(body.turns.at(-1).text).toContain('good day')
    expect(await errorOf(city, 'GET ~/agent/mayor/output?tail=some')).toStartWith('422 validation-failed: ')
  })

  test('is declared with the reason why it cannot be started, also when the request is repeated', async () => {
    await using town = await openTown()
    const headers = { 'Idempotency-Key': 'one' }
    const declared = async () =>
      (await town.city.call('POST ~/agents/declare', { body: { name: 'a', provider: 'amp' }, headers })).body
    const first = await declared()
    expect(first).toEqual({ status: 'created', agent: 'a', unavailable_reason: expect.stringContaining('not found') })
    expect(await declared()).toEqual(first)
    const scripted = { body: { name: 'b', start_command: 'true', max_active_sessions: 0 } }
    expect((await town.city.call('POST ~/agents/declare', scripted)).body).toEqual({ status: 'created', agent: 'b' })
  })

  test('is rejected when it is invalid', async () => {
    await using town = await openTown('[[agent]]\nname = "inline"\nprovider = "amp"\n')
    const { city, world } = town
    await declare(city, 'mayor', {}, { max_active_sessions: 0 })
    const create = (body: object) => errorOf(city, 'POST ~/agents', { body })
    expect(await create({ name: 'a', provider: 'nobody' })).toStartWith('400 invalid-request: provider "nobody"')
    expect(await create({ name: 'a/b', provider: 'amp' })).toStartWith('400 invalid-request: ')
    expect(await create({ name: 'a', provider: 'amp', dir: 'nowhere' })).toStartWith('400 invalid-request: ')
    expect(await create({ name: 'mayor', provider: 'amp' })).toStartWith('409 conflict-wrong-state: ')
    const declared = (body: object, token?: string) =>
      errorOf(city, 'POST ~/agents/declare', { body, ...(token && { token }) })
    expect(await declared({ name: 'a', provider: 'amp', start_command: 'x' })).toStartWith('400 invalid-request: ')
    expect(await declared({ name: 'mayor', start_command: 'x' })).toStartWith('409 conflict-wrong-state: ')
    expect(await declared({ name: 'x', start_command: 'x', min_active_sessions: -1 })).toStartWith('422 validation-')
    for (const key of ['min_active_sessions', 'max_active_sessions']) {
      expect(await declared({ name: 'x', start_command: 'x', [key]: 2 ** 53 })).toStartWith('400 invalid-request: ')
      expect(await declared({ name: 'x', start_command: 'x', [key]: 1001 })).toStartWith('400 invalid-request: ')
    }
    const { token } = await (async () => {
      await declare(city, 'crew', {}, { may: ['respond'] })
      return startSession(city, 'crew')
    })()
    expect(await declared({ name: 'x', start_command: 'x', may: ['tokens'] }, token)).toStartWith('403 forbidden: ')
    await city.call('POST ~/rigs', { body: { name: 'web', path: world.rigFolder(`${city.name}-web`) } })
    await declare(city, 'worker', {}, { dir: 'web', max_active_sessions: 0 })
    for (const path of ['mayor', 'inline', 'web/worker']) {
      const change = (body: object) => errorOf(city, `PATCH ~/agent/${path}`, { body })
      expect(await change({ provider: 'nobody' })).toStartWith('400 invalid-request: ')
      expect(await change({ scope: 'moon' })).toStartWith('400 invalid-request: ')
    }
    writeFileSync(join(city.path, 'city.toml'), '[workspace\n')
    for (const path of ['mayor', 'inline', 'web/worker']) {
      const broken = [await errorOf(city, `DELETE ~/agent/${path}`)]
      broken.push(await errorOf(city, `PATCH ~/agent/${path}`, { body: { provider: 'codex' } }))
      for (const error of broken) expect(error).toMatch(/^409 conflict-wrong-state: [\s\S]*city\.toml:1/)
    }
    expect((await city.call('GET ~/agents')).body.items.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['inline', 'mayor']),
    )
  })

  test('that does not exist is not found', async () => {
    await using town = await withRig()
    const { city } = town
    for (const path of ['ghost', 'web/ghost', 'nowhere/ghost']) {
      const requests: [string, object?][] = [
        [`GET ~/agent/${path}`],
        [`PATCH ~/agent/${path}`, { body: { suspended: true } }],
        [`DELETE ~/agent/${path}`],
        [`GET ~/agent/${path}/output`],
        [`GET ~/agent/${path}/output/stream`],
        [`POST ~/agent/${path}/suspend`],
      ]
      for (const [operation, options] of requests) {
        expect(await errorOf(city, operation, options)).toStartWith('404 agent-not-found: ')
      }
    }
    await declare(city, 'mayor')
    expect(await errorOf(city, 'POST ~/agent/mayor/promote')).toStartWith('422 validation-failed: ')
  })
})

describe('the operations on agents', () => {
  test('are covered with success and every declared error', () => {
    expect(coverage.uncovered()).toEqual([])
  })

  test('fill every response field except those that need a program with a log', () => {
    expect(coverage.emptyFields()).toEqual([
      'AgentOutputResponse.pagination',
      'AgentResponse.activity',
      'AgentResponse.context_pct',
      'AgentResponse.context_window',
      'AgentResponse.model',
      'AgentResponse.pack',
      'HeartbeatEvent.timestamp',
      'ListBodyAgentResponse.next_cursor',
      'ListBodyAgentResponse.partial',
      'ListBodyAgentResponse.partial_errors',
      'OutputTurn.timestamp',
      'PaginationInfo.has_newer_messages',
      'PaginationInfo.has_older_messages',
      'PaginationInfo.returned_message_count',
      'PaginationInfo.total_compactions',
      'PaginationInfo.total_message_count',
      'PaginationInfo.truncated_before_message',
    ])
  })
})
