import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentOutput, AgentResponse } from '../../../src/agents/agents/schema.ts'
import { agentsWorld, inventedSessionsWorld } from './world.ts'

const TOWN = {
  'city.toml': '# ours\n[[rigs]]\nname = "shop"\npath = "$"\n',
  'agents/mayor/agent.toml': 'provider = "claude"\nmax_active_sessions = 1\ndescription = "runs things"\n',
  'agents/crew/agent.toml': 'dir = "shop"\nprovider = "codex"\nmax_active_sessions = 3\nnamepool = ["opal"]\n',
  'agents/swarm/agent.toml': 'start_command = "./swarm"\n',
}

const rows = (body: unknown): AgentResponse[] => (body as { items: AgentResponse[] }).items
const names = (body: unknown) => rows(body).map(({ name }) => name)

describe('listing agents', () => {
  test('shows one row for a single session, every slot of a pool, and the running instances of an unlimited pool', async () => {
    await using town = await inventedSessionsWorld(TOWN)
    expect(names(await town.get('agents'))).toEqual(['shop/opal', 'shop/crew-2', 'shop/crew-3', 'mayor', 'swarm'])
    town.sessions.run('swarm', 'swarm-1')
    town.sessions.run('swarm', 'swarm-7')
    town.sessions.run('swarm', 'swarm-8', { running: false })
    const all = await town.get('agents')
    expect(names(all)).toEqual(['shop/opal', 'shop/crew-2', 'shop/crew-3', 'mayor', 'swarm-1', 'swarm-7'])
    expect(rows(all).map(({ pool }) => pool)).toEqual([
      'shop/crew',
      'shop/crew',
      'shop/crew',
      undefined,
      'swarm',
      'swarm',
    ])
    expect((all as { total: number }).total).toBe(6)
  })

  test('shows every running session of a pool: one without a slot in a free slot, else in a row of its own', async () => {
    await using town = await inventedSessionsWorld(TOWN)
    const shown = async (at = 'agents?pool=shop%2Fcrew') =>
      rows(await town.get(at)).map(({ name, state, session }) => [name, state, session?.name])
    town.sessions.run('shop/crew', 'shop/opal', { running: false })
    town.sessions.run('shop/crew', 'shop/crew')
    expect(await shown()).toEqual([
      ['shop/opal', 'stopped', undefined],
      ['shop/crew-2', 'idle', 's-tc-2'],
      ['shop/crew-3', 'stopped', undefined],
    ])
    town.sessions.run('shop/crew', 'shop/crew-7')
    town.sessions.run('shop/crew', 'shop/crew')
    town.sessions.run('shop/crew', 'shop/crew')
    expect(await shown()).toEqual([
      ['shop/opal', 'idle', 's-tc-4'],
      ['shop/crew-2', 'idle', 's-tc-2'],
      ['shop/crew-3', 'idle', 's-tc-3'],
      ['shop/s-tc-5', 'idle', 's-tc-5'],
    ])
    town.sessions.run('swarm', 'swarm')
    expect(await shown('agents?pool=swarm')).toEqual([['s-tc-6', 'idle', 's-tc-6']])
    for (const name of ['shop/s-tc-5', 's-tc-6', 'shop/crew-2']) {
      expect(await town.get(`agent/${name}`)).toMatchObject({ name, running: true })
      expect(await town.get(`agent/${name}/output`)).toMatchObject({ agent: name })
    }
  })

  test('tells why a held pool starts nothing, on those rows that do not run', async () => {
    await using town = await inventedSessionsWorld(TOWN)
    town.sessions.run('shop/crew', 'shop/crew-2')
    town.sessions.hold = 'its last 3 starts failed'
    const shown = rows(await town.get('agents?rig=shop')).map((row) => [
      row.state,
      row.available,
      row.unavailable_reason,
    ])
    const held = ['quarantined', false, 'its last 3 starts failed']
    expect(shown).toEqual([held, ['idle', true, undefined], held])
  })

  test('filters by pool, rig and running, and peeks at screens', async () => {
    await using town = await inventedSessionsWorld(TOWN)
    town.sessions.run('shop/crew', 'shop/crew-2')
    expect(names(await town.get('agents?pool=shop%2Fcrew'))).toEqual(['shop/opal', 'shop/crew-2', 'shop/crew-3'])
    expect(names(await town.get('agents?rig=shop&running=false'))).toEqual(['shop/opal', 'shop/crew-3'])
    expect(names(await town.get('agents?running=true'))).toEqual(['shop/crew-2'])
    expect(names(await town.get('agents?rig=nope'))).toEqual([])
    expect(rows(await town.get('agents?running=true&peek=true'))[0]?.last_output).toBe('5 lines of tc-1')
    expect(rows(await town.get('agents?running=true'))[0]?.last_output).toBeUndefined()
    const { status } = await town.server.get('/v0/city/c/agents?running=maybe')
    expect(status).toBe(422)
  })
})

describe('an agent', () => {
  test('is in the first state that applies', async () => {
    await using town = await inventedSessionsWorld(TOWN)
    const state = async () => (await town.get('agent/mayor')).state
    expect(await state()).toBe('stopped')
    const now = town.clock.now()
    town.sessions.run('mayor', 'mayor', { lastActivity: now - 60_000 })
    expect(await state()).toBe('idle')
    town.sessions.work.set('tc-1', 'tc-9')
    expect(await state()).toBe('working')
    town.sessions.alter(0, { lastActivity: now - 11 * 60_000 })
    expect(await state()).toBe('waiting')
    town.sessions.alter(0, { running: false, held: 'session tc-1 crashed too often' })
    expect(await state()).toBe('quarantined')
    await town.send('POST', 'agent/mayor/suspend')
    expect(await state()).toBe('suspended')
  })

  test('is shown with its provider, its session and its work', async () => {
    await using town = await inventedSessionsWorld(TOWN)
    town.sessions.run('mayor', 'mayor', {
      ...{
        lastActivity: town.clock.now(),
        attached: true,
        activity: 'in-turn',
        model: 'opus',
        contextPct: 12,
        contextWindow: 200_000,
      },
    })
    town.sessions.work.set('mayor', 'tc-9')
    expect(await town.get('agent/mayor')).toEqual({
      name: 'mayor',
      description: 'runs things',
      display_name: 'Claude Code',
      running: true,
      suspended: false,
      session: { name: 's-tc-1', attached: true, last_activity: '2026-01-05T09:00:00.000Z' },
      active_bead: 'tc-9',
      provider: 'claude',
      pack_derived: false,
      state: 'working',
      available: true,
      activity: 'in-turn',
      model: 'opus',
      context_pct: 12,
      context_window: 200_000,
    })
  })

  test('that cannot be started shows the reason', async () => {
    await using town = await inventedSessionsWorld(TOWN)
    town.sessions.missing = "provider 'claude' not found in PATH"
    expect(await town.get('agent/mayor')).toMatchObject({ available: false, unavailable_reason: town.sessions.missing })
    await town.send('POST', 'agent/mayor/suspend')
    expect(await town.get('agent/mayor')).toMatchObject({ available: false, unavailable_reason: 'agent is suspended' })
  })

  test('is found by its qualified name, and an instance by its number or name', async () => {
    await using town = await agentsWorld(TOWN)
    for (const name of ['mayor', 'shop/crew', 'shop/crew-3', 'shop/opal', 'swarm', 'swarm-41']) {
      expect(await town.get(`agent/${name}`)).toMatchObject({ name, state: 'stopped' })
    }
    for (const name of ['crew', 'shop/mayor', 'shop/crew-4', 'shop/crew-0', 'shop/crew-1', 'mayor-1', 'swarm-x']) {
      expect(await town.get(`agent/${name}`)).toMatchObject({
        status: 404,
        code: 'agent-not-found',
        detail: `agent ${name} not found`,
      })
    }
  })
})

describe('creating an agent', () => {
  test('writes its file and nothing else, and the agent exists at once', async () => {
    await using town = await agentsWorld(TOWN)
    const before = town.declared()
    const made = await town.send('POST', 'agents', { name: 'worker', dir: 'shop', provider: 'claude', scope: null })
    expect(made).toEqual({ status: 201, body: { status: 'created', agent: 'shop/worker' } })
    expect(town.declared()).toEqual({ ...before, 'agents/worker/agent.toml': 'dir = "shop"\nprovider = "claude"\n' })
    expect(await town.get('agent/shop/worker')).toMatchObject({ rig: 'shop', provider: 'claude', state: 'stopped' })
    expect(names(await town.get('agents?rig=shop'))).toContain('shop/worker')
    expect(await town.send('DELETE', 'agent/shop/worker')).toEqual({ status: 200, body: { status: 'deleted' } })
    expect(town.declared()).toEqual(before)
    expect(existsSync(join(town.path, 'agents/worker'))).toBe(false)
    expect(town.recorded()).toEqual([])
  })

  test('accepts every field of a declaration', async () => {
    await using town = await agentsWorld(TOWN)
    const made = await town.send('POST', 'agents/declare', {
      name: 'w',
      start_command: './w.sh "a b"',
      prompt: 'Do it.\nNow.',
      max_active_sessions: 2,
      env: { A: '1' },
      suspended: true,
      may: ['respond'],
    })
    expect(made).toEqual({ status: 201, body: { status: 'created', agent: 'w' } })
    expect(town.config.agent('w')).toMatchObject({
      ...{ startCommand: './w.sh "a b"', prompt: 'Do it.\nNow.', maxActive: 2, env: { A: '1' }, suspended: true },
      may: ['respond'],
    })
    expect(await town.get('agent/w')).toMatchObject({ suspended: true, state: 'suspended' })
    await town.send('POST', 'agent/w/resume')
    expect(await town.get('agent/w')).toMatchObject({ suspended: false })
    expect(town.config.agent('w').suspended).toBe(true)
  })

  test('twice is a conflict', async () => {
    await using town = await agentsWorld(TOWN)
    const again = await town.send('POST', 'agents', { name: 'mayor', provider: 'codex' })
    expect(again).toMatchObject({ status: 409, body: { code: 'conflict-wrong-state' } })
    expect(town.text('agents/mayor/agent.toml')).toBe(TOWN['agents/mayor/agent.toml'])
  })

  test.each([
    ['a path for a name', { name: '../x', provider: 'claude' }, 400, 'cannot name an agent'],
    ['a rig that is not there', { name: 'x', provider: 'claude', dir: 'shp' }, 400, 'did you mean "shop"?'],
    ['a rig that is a path', { name: 'x', provider: 'claude', dir: '../..' }, 400, 'there is no rig'],
    ['a provider that nobody knows', { name: 'x', provider: 'cluade' }, 400, 'did you mean "claude"?'],
    ['a scope that is none', { name: 'x', provider: 'claude', scope: 'town' }, 400, 'must be city or rig'],
    ['no provider', { name: 'x' }, 422, 'validation failed'],
    ['an empty name', { name: '', provider: 'claude' }, 422, 'validation failed'],
    ['a key of no meaning', { name: 'x', provider: 'claude', colour: 'red' }, 422, 'validation failed'],
  ])('with %s is refused and leaves nothing behind', async (_, body, status, detail) => {
    await using town = await agentsWorld(TOWN)
    const before = town.declared()
    const answer = await town.send('POST', 'agents', body)
    expect(answer.status).toBe(status)
    expect(answer.body.detail).toContain(detail)
    expect(town.declared()).toEqual(before)
    expect(town.recorded()).toEqual([])
  })

  test('by a session cannot grant permissions that the session lacks', async () => {
    await using town = await agentsWorld(TOWN)
    town.as({
      ...{ kind: 'session', city: 'c', session: 'tc-1', names: ['tc-1'] },
      ...{ agent: 'w', declaredIn: 'city.toml', may: ['respond'] },
    })
    const made = await town.send('POST', 'agents/declare', {
      name: 'w',
      start_command: 'x',
      may: ['respond', 'tokens'],
    })
    expect(made).toMatchObject({
      status: 403,
      body: { detail: 'forbidden: a session cannot grant permissions that it does not have: tokens' },
    })
    expect(
      (await town.send('POST', 'agents/declare', { name: 'w', start_command: 'x', may: ['respond'] })).status,
    ).toBe(201)
  })
})

describe('changing an agent', () => {
  test('writes its provider and keeps the rest of the file', async () => {
    await using town = await agentsWorld(TOWN)
    expect(await town.send('PATCH', 'agent/mayor', { provider: 'codex', scope: 'city' })).toEqual({
      status: 200,
      body: { status: 'updated' },
    })
    expect(town.text('agents/mayor/agent.toml')).toBe(
      'provider = "codex"\nmax_active_sessions = 1\ndescription = "runs things"\nscope = "city"\n',
    )
    expect((await town.send('PATCH', 'agent/mayor', { provider: 'nope' })).status).toBe(400)
    expect((await town.send('PATCH', 'agent/nobody', { provider: 'codex' })).status).toBe(404)
  })

  test('suspends and resumes it without writing a file', async () => {
    await using town = await agentsWorld(TOWN)
    const before = town.declared()
    let notified = 0
    town.suspensions.onChange(() => notified++)
    await town.send('PATCH', 'agent/shop/crew', { suspended: true })
    expect(rows(await town.get('agents?rig=shop')).map(({ suspended }) => suspended)).toEqual([true, true, true])
    await town.send('POST', 'agent/shop/crew/resume')
    await town.send('POST', 'agent/shop/crew/resume')
    expect(await town.get('agent/shop/crew')).toMatchObject({ suspended: false })
    expect(notified).toBe(2)
    expect(town.declared()).toEqual(before)
    expect(town.recorded()).toEqual([])
  })

  test('restarts its sessions, and any other action is an error', async () => {
    await using town = await inventedSessionsWorld(TOWN)
    expect(await town.send('POST', 'agent/shop/crew/restart')).toEqual({ status: 200, body: { status: 'ok' } })
    expect(town.sessions.restarted).toEqual([['shop/crew']])
    expect(await town.send('POST', 'agent/mayor/explode')).toMatchObject({
      status: 422,
      body: { code: 'validation-failed' },
    })
    expect((await town.send('POST', 'agent/nobody/restart')).status).toBe(404)
  })
})

describe('the output of an agent', () => {
  test('is paged by segments, also for an agent whose name could be a rig', async () => {
    await using town = await inventedSessionsWorld(TOWN)
    town.sessions.run('mayor', 'mayor')
    town.sessions.run('shop/crew', 'shop/crew-2')
    const turns = async (at: string) => ((await town.get(at)) as AgentOutput).turns[0]?.text
    expect(await turns('agent/mayor/output')).toBe('{"tail":1}')
    expect(await turns('agent/mayor/output?tail=0&before=m-3')).toBe('{"tail":0,"before":"m-3"}')
    expect(await turns('agent/shop/crew-2/output')).toBe('{"tail":1}')
    expect(await town.get('agent/shop/crew/output')).toMatchObject({ agent: 'shop/crew-2' })
    expect(await town.get('agent/mayor/output?tail=-1')).toMatchObject({ status: 422, code: 'validation-failed' })
    expect(await town.get('agent/swarm/output')).toMatchObject({ status: 404, detail: 'agent swarm not running' })
  })

  test('streams as numbered turns, and a header tells that the agent is stopped', async () => {
    await using town = await inventedSessionsWorld(TOWN)
    town.sessions.run('mayor', 'mayor', { running: false })
    const answer = await town.server.get('/v0/city/c/agent/mayor/output/stream')
    expect(answer.headers.get('gc-agent-status')).toBe('stopped')
    const frames = (await answer.text()).split('\n\n').slice(0, 2)
    expect(frames[0]).toContain('id: 1\nevent: turn\ndata: {"agent":"mayor"')
    expect(frames[1]).toContain('id: 2\nevent: turn')
    const none = await town.server.get('/v0/city/c/agent/shop/crew/output/stream')
    expect([none.status, none.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  })
})
