import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentResponse } from '../../../src/agents/agents/schema.ts'
import type { AgentOutput } from '../../../src/agents/conversations/schema.ts'
import { human } from '../../../src/http/guard.ts'
import type { SessionRow } from '../../../src/work/sessions/table.ts'
import { until } from '../../support/until.ts'
import { agentsWorld } from './world.ts'

const TOWN = {
  'city.toml': '# ours\n[[rigs]]\nname = "shop"\npath = "$"\n',
  'agents/mayor/agent.toml': 'provider = "claude"\nmax_active_sessions = 1\ndescription = "runs things"\n',
  'agents/crew/agent.toml': 'dir = "shop"\nprovider = "codex"\nmax_active_sessions = 3\nnamepool = ["opal"]\n',
  'agents/swarm/agent.toml': 'start_command = "./swarm"\n',
}

/** The same, with agents that speak ACP. */
const TALKING = {
  ...TOWN,
  'city.toml': `${TOWN['city.toml']}[providers.codex]\nsupports_acp = true\n`,
  'agents/mayor/agent.toml': `${TOWN['agents/mayor/agent.toml']}session = "acp"\n`,
  'agents/crew/agent.toml': `${TOWN['agents/crew/agent.toml']}session = "acp"\n`,
}

const rows = (body: unknown): AgentResponse[] => (body as { items: AgentResponse[] }).items
const names = (body: unknown) => rows(body).map(({ name }) => name)

describe('listing agents', () => {
  test('shows one row for a single session, every slot of a pool, and the running instances of an unlimited pool', async () => {
    await using town = await agentsWorld(TOWN)
    expect(names(await town.get('agents'))).toEqual(['shop/opal', 'shop/crew-2', 'shop/crew-3', 'mayor', 'swarm'])
    const swarm = await town.pool('swarm', 8)
    expect(swarm.map(({ agentName }) => agentName)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((n) => `swarm-${n}`))
    for (const { id } of swarm.slice(1, 6)) await town.sessions.running.close(id, human)
    await town.sessions.running.suspend(swarm.at(-1)?.id ?? '', human)
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
    await using town = await agentsWorld(TOWN)
    town.install('codex')
    const shown = async (at = 'agents?pool=shop%2Fcrew') =>
      rows(await town.get(at)).map(({ name, state, session }) => [name, state, session?.name])
    const [opal] = await town.pool('shop/crew', 1)
    await town.finishWork()
    await town.sessions.running.suspend(opal?.id ?? '', human)
    const first = await town.session('shop/crew')
    expect(await shown()).toEqual([
      ['shop/opal', 'stopped', undefined],
      ['shop/crew-2', 'idle', first.sessionName],
      ['shop/crew-3', 'stopped', undefined],
    ])
    const declared = town.text('agents/crew/agent.toml')
    town.put('agents/crew/agent.toml', declared.replace('sessions = 3', 'sessions = 9'))
    await town.config.reload()
    const pool = await town.pool('shop/crew', 6)
    await town.finishWork()
    for (const { id, slot } of pool)
      if (slot !== 7 && slot !== 1 && slot !== null) await town.sessions.running.close(id, human)
    const later: SessionRow[] = []
    for (let n = 0; n < 3; n++) {
      await town.clock.advance(1)
      later.unshift(await town.session('shop/crew'))
    }
    town.put('agents/crew/agent.toml', declared)
    await town.config.reload()
    const [second, third, fourth] = later.map(({ sessionName }) => sessionName)
    expect(await shown()).toEqual([
      ['shop/opal', 'idle', fourth],
      ['shop/crew-2', 'idle', second],
      ['shop/crew-3', 'idle', third],
      [`shop/${first.sessionName}`, 'idle', first.sessionName],
      ['shop/crew-7', 'idle', pool.find(({ slot }) => slot === 7)?.sessionName],
    ])
    const alone = await town.session('swarm')
    expect(await shown('agents?pool=swarm')).toEqual([[alone.sessionName, 'idle', alone.sessionName]])
    for (const name of [`shop/${first.sessionName}`, alone.sessionName, 'shop/crew-2']) {
      expect(await town.get(`agent/${name}`)).toMatchObject({ name, running: true })
      expect(await town.get(`agent/${name}/output`)).toMatchObject({ agent: name })
    }
  })

  test('shows each session of an unlimited agent under the name of the agent with a suffix, by which it is found', async () => {
    await using town = await agentsWorld({
      ...TOWN,
      'pack.toml': '[pack]\nname = "town"\nschema = 2\n[imports.web]\nsource = "./packs/web"\n',
      'packs/web/pack.toml': '[pack]\nname = "web"\nschema = 2\n',
      'packs/web/agents/lead/agent.toml': 'start_command = "./lead"\nscope = "city"\n',
    })
    const [slotted] = await town.pool('swarm', 1)
    await town.finishWork()
    const adhoc = await town.session('swarm')
    const aliased = await town.session('swarm', 'bee')
    const imported = await town.session('web.lead')
    expect(aliased).toMatchObject({ sessionName: `s-${aliased.id}`, alias: 'bee' })
    expect(imported.sessionName).toMatch(/^web__lead-adhoc-/)
    const shown = rows(await town.get('agents?running=true')).map(({ name, pool, session }) => [
      name,
      pool,
      session?.name,
    ])
    expect(Object.fromEntries(shown.map(([name, ...rest]) => [name, rest]))).toEqual({
      'swarm-1': ['swarm', slotted?.sessionName],
      [adhoc.sessionName]: ['swarm', adhoc.sessionName],
      [`swarm-${aliased.id}`]: ['swarm', aliased.sessionName],
      [imported.sessionName.replace('__', '.')]: ['web.lead', imported.sessionName],
    })
    for (const [name, , session] of shown) {
      expect(await town.get(`agent/${name}`)).toMatchObject({ name, running: true, session: { name: session } })
      expect(town.sessionServices.resolver.resolve(String(name)).sessionName).toBe(String(session))
    }
  })

  test('is notified once that sessions of an unlimited agent work in one folder, and how to limit them', async () => {
    const moving = { 'agents/moving/agent.toml': 'start_command = "./move"\nwork_dir = "work/{{.AgentBase}}"\n' }
    await using town = await agentsWorld({ ...TOWN, ...moving })
    town.install('codex')
    await town.pool('shop/crew', 2)
    await town.pool('moving', 2)
    const first = await town.session('swarm')
    expect(town.reports).toEqual([])
    for (const _ of [2, 3]) {
      await town.session('swarm')
      expect(town.reports).toEqual([
        `a second session of swarm works in ${first.workDir}, as nothing limits the agent: set max_active_sessions = 1 if one is enough, or worktree = true for a folder each`,
      ])
    }
  })

  test('reports why a held pool starts nothing, on those rows that do not run, until it is resumed', async () => {
    await using town = await agentsWorld(TOWN)
    town.install('codex')
    await town.pool('shop/crew', 1)
    town.host.startError = 'no terminal is left'
    await town.pool('shop/crew', 1)
    for (const wait of [1000, 2000]) {
      await town.clock.advance(wait)
      await town.reconciler.settle()
    }
    const shown = rows(await town.get('agents?rig=shop')).map((row) => [
      row.state,
      row.available,
      row.unavailable_reason,
    ])
    const reason =
      'its last 3 starts failed; no new session is started before 2026-01-05T09:00:33.000Z: no terminal is left'
    const held = ['quarantined', false, reason]
    expect(shown).toEqual([['idle', true, undefined], held, held])
    town.host.startError = undefined
    expect(await town.send('POST', 'agent/shop/crew/resume')).toEqual({ status: 200, body: { status: 'ok' } })
    await town.clock.advance(4000)
    await town.reconciler.settle()
    const resumed = rows(await town.get('agents?rig=shop')).map(({ state, available }) => [state, available])
    expect(resumed).toEqual([
      ['idle', true],
      ['idle', true],
      ['stopped', true],
    ])
  })

  test('filters by pool, rig and running, and peeks at screens', async () => {
    await using town = await agentsWorld(TOWN)
    town.install('codex')
    const [opal] = await town.pool('shop/crew', 1)
    town.host.screens.set(opal?.hostKey ?? '', ['1', '2', '3', '4', '5', '6', '7'])
    expect(names(await town.get('agents?pool=shop%2Fcrew'))).toEqual(['shop/opal', 'shop/crew-2', 'shop/crew-3'])
    expect(names(await town.get('agents?rig=shop&running=false'))).toEqual(['shop/crew-2', 'shop/crew-3'])
    expect(names(await town.get('agents?running=true'))).toEqual(['shop/opal'])
    expect(names(await town.get('agents?rig=nope'))).toEqual([])
    expect(rows(await town.get('agents?running=true&peek=true'))[0]?.last_output).toBe('3\n4\n5\n6\n7')
    expect(rows(await town.get('agents?running=true'))[0]?.last_output).toBeUndefined()
    const { status } = await town.server.get('/v0/city/c/agents?running=maybe')
    expect(status).toBe(422)
  })
})

describe('an agent', () => {
  test('is in the first state that applies', async () => {
    await using town = await agentsWorld(TOWN)
    town.install('claude')
    const state = async () => (await town.get('agent/mayor')).state
    expect(await state()).toBe('stopped')
    const { id, sessionName } = await town.session('mayor')
    expect(await state()).toBe('idle')
    const draft = { title: 'work', status: 'in_progress', assignee: sessionName }
    await town.store.write((tx) => town.beadRepository.add(tx, draft))
    expect(await state()).toBe('working')
    town.clock.stop(11 * 60_000)
    expect(await state()).toBe('waiting')
    for (let crashes = 0; crashes < 6; crashes++) {
      await town.host.exit(town.sessionRepository.get(id).hostKey ?? '', 1)
      await town.clock.advance(20_000)
      await town.reconciler.settle()
      if (town.sessionRepository.get(id).state === 'quarantined') break
    }
    expect(await state()).toBe('quarantined')
    await town.send('POST', 'agent/mayor/suspend')
    expect(await state()).toBe('suspended')
  })

  test('continues with its session when a suspension is undone while that finishes its work', async () => {
    await using town = await agentsWorld(TALKING)
    town.install('claude')
    const { id, sessionName } = await town.session('mayor')
    const draft = { title: 'work', status: 'in_progress', assignee: sessionName } as const
    await town.store.write((tx) => town.beadRepository.add(tx, draft))
    const { head } = town.log
    await town.send('POST', 'agent/mayor/suspend')
    await town.reconciler.settle()
    expect(town.sessionRepository.get(id)).toMatchObject({ state: 'draining', reason: 'agent-suspended' })
    await town.send('POST', 'agent/mayor/resume')
    await town.reconciler.settle()
    expect(town.sessionRepository.get(id)).toMatchObject({ state: 'active', reason: '', drainAt: null })
    await town.clock.advance(11 * 60_000)
    await town.reconciler.settle()
    expect(town.sessionRepository.get(id).state).toBe('active')
    const types = town.log.after(head, 50).map(({ type }) => type)
    expect(types.filter((type) => type.startsWith('session.'))).toEqual(['session.draining', 'session.undrained'])
  })

  test('waits while it asks a person, with work and without', async () => {
    await using town = await agentsWorld(TALKING)
    town.install('claude')
    const { hostKey, sessionName } = await town.session('mayor')
    const state = async () => (await town.get('agent/mayor')).state
    const choices = [{ id: 'yes', name: 'Yes', kind: 'allow_once' }]
    await town.host.report(hostKey ?? '', { type: 'asked', request: 'r', tool: { title: 'git push' }, choices })
    await until(() => town.sessionServices.questions.asking().size === 1)
    expect(await state()).toBe('waiting')
    expect(rows(await town.get('agents?running=true'))[0]?.state).toBe('waiting')
    const draft = { title: 'work', status: 'in_progress', assignee: sessionName }
    await town.store.write((tx) => town.beadRepository.add(tx, draft))
    expect(await state()).toBe('waiting')
    await town.host.report(hostKey ?? '', { type: 'answered', request: 'r' })
    await until(() => town.sessionServices.questions.asking().size === 0)
    expect(await state()).toBe('working')
  })

  test('is shown with its provider, its session and its work', async () => {
    await using town = await agentsWorld(TALKING)
    town.install('claude')
    const { id, sessionName, hostKey } = await town.session('mayor')
    await town.clock.advance(1000)
    const ready = { conversation: 'c', resumed: false, resumable: true, model: 'opus', modes: [] }
    await town.host.report(hostKey ?? '', { type: 'ready', ...ready })
    const text = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Yes.' } }
    for (const update of [text, { sessionUpdate: 'usage_update', used: 24_000, size: 200_000 }])
      await town.host.report(hostKey ?? '', { type: 'update', update })
    await until(() => town.logs.status(id)?.contextPct !== undefined)
    town.sessionServices.activity.addViewer(id)
    const draft = { title: 'work', status: 'in_progress', assignee: sessionName }
    const bead = await town.store.write((tx) => town.beadRepository.add(tx, draft))
    expect(await town.get('agent/mayor')).toEqual({
      name: 'mayor',
      description: 'runs things',
      display_name: 'Claude Code',
      running: true,
      suspended: false,
      session: { name: sessionName, attached: true, last_activity: '2026-01-05T09:00:00.000Z' },
      active_bead: bead.id,
      provider: 'claude',
      pack_derived: true,
      state: 'working',
      available: true,
      activity: 'in-turn',
      model: 'opus',
      context_pct: 12,
      context_window: 200_000,
    })
  })

  test('is pack derived unless city.toml declares it', async () => {
    const inline = '[[agent]]\nname = "inline"\nstart_command = "./inline"\n'
    await using town = await agentsWorld({ ...TOWN, 'city.toml': `${inline}${TOWN['city.toml']}` })
    const derived = rows(await town.get('agents')).map(({ name, pack_derived }) => [name, pack_derived])
    expect(Object.fromEntries(derived)).toMatchObject({ inline: false, mayor: true, swarm: true })
    const origins = town.configViews.explain().agents?.map(({ name, origin }) => [name, origin]) ?? []
    expect(Object.fromEntries(origins)).toMatchObject({ inline: 'inline', mayor: 'pack-derived' })
  })

  test('that cannot be started shows the reason', async () => {
    const ghost = '[providers.ghost]\ncommand = "no-such-program"\n'
    await using town = await agentsWorld({
      'city.toml': ghost,
      'agents/mayor/agent.toml': 'provider = "ghost"\nmax_active_sessions = 1\n',
    })
    expect(await town.get('agent/mayor')).toMatchObject({
      available: false,
      unavailable_reason: "provider 'ghost' not found in PATH: there is no program no-such-program",
    })
    await town.send('POST', 'agent/mayor/suspend')
    expect(await town.get('agent/mayor')).toMatchObject({ available: false, unavailable_reason: 'agent is suspended' })
  })

  test('that does no work shows the reason: nothing to do, what keeps it from starting, or who suspended it', async () => {
    await using town = await agentsWorld(TOWN)
    const idle = async (name: string) => ((await town.get(`agent/${name}`)) as AgentResponse).idle_reason
    const nothing = (name: string) => `no ready work is routed to it; gc sling ${name} "<task>"`
    expect(await Promise.all(['mayor', 'shop/crew-2', 'swarm'].map(idle))).toEqual([
      "provider 'claude' not found in PATH",
      "provider 'codex' not found in PATH",
      nothing('swarm'),
    ])
    town.install('claude')
    expect(await idle('mayor')).toBe(nothing('mayor'))
    const limit = { until: town.clock.now() + 60_000, text: 'you have hit your limit' }
    await town.store.write((tx) => town.limits.reached(tx, { id: 'claude', provider: 'claude' }, limit))
    expect(await idle('mayor')).toBe(
      'its usage limit is reached, and no other account has quota before 2026-01-05T09:01:00.000Z',
    )
    await town.send('POST', 'agent/mayor/suspend')
    expect(await idle('mayor')).toBe('agent mayor is suspended; gc agent resume mayor')
    const listed = rows(await town.get('agents')).map(({ idle_reason }) => idle_reason)
    expect(listed.every((reason) => reason === undefined)).toBe(true)
  })

  test('is found by its qualified name, and an instance by its number or name', async () => {
    await using town = await agentsWorld(TOWN)
    for (const name of ['mayor', 'shop/crew', 'shop/crew-3', 'shop/opal', 'swarm', 'swarm-41']) {
      expect(await town.get(`agent/${name}`)).toMatchObject({ name, state: 'stopped' })
    }
    expect(await town.get('agent/shop/crew-1')).toMatchObject({ name: 'shop/opal', state: 'stopped' })
    for (const name of ['crew', 'shop/mayor', 'shop/crew-4', 'shop/crew-0', 'mayor-1', 'swarm-x']) {
      expect(await town.get(`agent/${name}`)).toMatchObject({
        status: 404,
        code: 'agent-not-found',
        detail: `agent ${name} not found`,
      })
    }
  })
})

describe('creating an agent', () => {
  test('writes its file and nothing else, and the agent exists immediately', async () => {
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
    const payload = { files: ['agents/worker/agent.toml'], total: 1 }
    expect(town.recorded()).toMatchObject([
      { type: 'config.changed', actor: 'human', payload },
      { type: 'config.changed', actor: 'human', payload },
    ])
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
      ...{
        startCommand: './w.sh "a b"',
        prompt: { text: 'Do it.\nNow.' },
        maxActive: 2,
        env: { A: '1' },
        suspended: true,
      },
      may: ['respond'],
    })
    expect(await town.get('agent/w')).toMatchObject({ suspended: true, state: 'suspended' })
    await town.send('POST', 'agent/w/resume')
    expect(await town.get('agent/w')).toMatchObject({ suspended: false })
    expect(town.config.agent('w').suspended).toBe(true)
  })

  test('writes worktree, options and confine, and rejects an option that the provider lacks', async () => {
    await using town = await agentsWorld(TOWN)
    const declare = (body: object) => town.send('POST', 'agents/declare', { name: 'w', provider: 'claude', ...body })
    const settings = { dir: 'shop', worktree: true, option_defaults: { permission_mode: 'plan' }, confine: 'network' }
    expect(await declare({ option_defaults: { permission_mode: 'bold' } })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('cannot be "bold"') },
    })
    expect(town.recorded()).toEqual([])
    expect((await declare(settings)).status).toBe(201)
    expect(town.config.agent('shop/w')).toMatchObject({
      ...{ worktree: true, optionDefaults: { permission_mode: 'plan' }, confine: 'network' },
    })
    expect(town.recorded().map(({ type }) => type)).toEqual(['config.changed'])
  })

  test('by a session cannot set confine', async () => {
    await using town = await agentsWorld(TOWN)
    town.as({
      ...{ kind: 'session', city: 'c', session: 'tc-1', names: ['tc-1'] },
      ...{ agent: 'w', declaredIn: 'city.toml', may: ['configure'] },
    })
    for (const confine of ['default', 'network', 'off']) {
      const made = await town.send('POST', 'agents/declare', { name: 'w', start_command: 'x', confine })
      expect(made).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    }
    expect(town.recorded()).toEqual([])
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
    expect(town.recorded()).toMatchObject([
      { type: 'agent.suspended', subject: 'shop/crew', actor: 'human' },
      { type: 'agent.resumed', subject: 'shop/crew', actor: 'human' },
    ])
  })

  test('restarts its sessions, and any other action is an error', async () => {
    await using town = await agentsWorld(TOWN)
    town.install('codex')
    expect(await town.send('POST', 'agent/shop/crew/restart')).toEqual({ status: 200, body: { status: 'ok' } })
    const pool = await town.pool('shop/crew', 2)
    expect(town.host.running).toHaveLength(2)
    const { head } = town.log
    expect(await town.send('POST', 'agent/shop/crew/restart')).toEqual({ status: 200, body: { status: 'ok' } })
    expect(town.host.running).toEqual([])
    const stopped = town.log.after(head, 100).filter(({ type }) => type === 'session.stopped')
    expect(stopped.map(({ session_id }) => session_id).sort()).toEqual(pool.map(({ id }) => id).sort())
    for (let seconds = 0; seconds < 300 && town.host.running.length < 2; seconds++) {
      await town.clock.advance(1000)
      await town.reconciler.settle()
      await Bun.sleep(1)
    }
    expect(town.host.running).toHaveLength(2)
    expect(await town.send('POST', 'agent/mayor/explode')).toMatchObject({
      status: 422,
      body: { code: 'validation-failed' },
    })
    expect((await town.send('POST', 'agent/nobody/restart')).status).toBe(404)
  })
})

describe('the output of an agent', () => {
  /** A running session of an agent that speaks ACP, which said two things with a compaction between them. */
  async function talk(town: Awaited<ReturnType<typeof agentsWorld>>, agent: string): Promise<SessionRow> {
    const row = await town.session(agent)
    const say = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
    for (const update of [say('one'), { sessionUpdate: 'compaction_update' }, say('two')])
      await town.host.report(row.hostKey ?? '', { type: 'update', update })
    await town.host.finishTurn(row.hostKey ?? '')
    await town.clock.advance(1000)
    await until(() => town.logs.status(row.id)?.activity !== undefined)
    return row
  }

  test('is paged by segments, also for an agent whose name could be a rig', async () => {
    await using town = await agentsWorld(TALKING)
    town.install('claude', 'codex')
    await talk(town, 'mayor')
    await talk(town, 'shop/crew')
    const said = async (at: string) =>
      ((await town.get(at)) as AgentOutput).turns.flatMap(({ role, text }) => (role === 'assistant' ? [text] : []))
    expect(await said('agent/mayor/output')).toEqual(['two'])
    expect(await said('agent/mayor/output?tail=0')).toEqual(['one', 'two'])
    const { pagination } = (await town.get('agent/mayor/output')) as AgentOutput
    const before = pagination?.truncated_before_message
    expect(await said(`agent/mayor/output?tail=0&before=${before}`)).toEqual(['one'])
    expect(await said('agent/shop/opal/output')).toEqual(['two'])
    expect(await town.get('agent/shop/crew/output')).toMatchObject({ agent: 'shop/crew' })
    expect(await town.get('agent/mayor/output?tail=-1')).toMatchObject({ status: 422, code: 'validation-failed' })
    expect(await town.get('agent/swarm/output')).toMatchObject({ status: 404, detail: 'agent swarm not running' })
  })

  test('streams as numbered turns, and a header reports that the agent is stopped', async () => {
    await using town = await agentsWorld(TALKING)
    town.install('claude')
    const { hostKey } = await talk(town, 'mayor')
    /** The first frames of the stream, and its header. */
    const stream = async (count: number, afterFirst = async () => {}) => {
      const stop = new AbortController()
      const url = `${town.server.url}/v0/city/c/agent/mayor/output/stream`
      const { headers, body } = await fetch(url, { signal: stop.signal })
      const frames: string[] = []
      let text = ''
      for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk
        const before = frames.length
        frames.splice(0, before, ...text.split('\n\n').slice(0, -1))
        if (before === 0 && frames.length > 0) await afterFirst()
        if (frames.length >= count) break
      }
      stop.abort()
      return { status: headers.get('gc-agent-status'), frames }
    }
    const { status, frames } = await stream(2, () => town.host.beginTurn(hostKey ?? ''))
    expect(status).toBeNull()
    expect(frames[0]).toContain('id: 1\nevent: turn\ndata: {"agent":"mayor"')
    expect(frames[1]).toContain('id: 2\nevent: turn')
    await town.host.exit(hostKey ?? '')
    const past = await stream(1)
    expect(past.status).toBe('stopped')
    expect(past.frames[0]).toContain('id: 1\nevent: turn\ndata: {"agent":"mayor"')
    const none = await town.server.get('/v0/city/c/agent/shop/crew/output/stream')
    expect([none.status, none.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  })
})
