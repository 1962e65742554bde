import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostClient } from '../../../src/host/client/host-client.ts'
import type { Confinement } from '../../../src/host/protocol/session.ts'
import { exitOf, gone, type HostWorld, hostWorld } from '../world.ts'
import { agentSpec, Listener } from './agent-host.ts'

/** A host with the agent `a` and a listener that collects its records. */
async function started(env: Record<string, string> = {}) {
  const world = hostWorld()
  const host = await world.connect()
  const listener = new Listener(host)
  await host.start(agentSpec(world, 'a', env))
  return { world, host, listener, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

const turn = async (host: HostClient, listener: Listener, text: string, id = text) => {
  await host.prompt('a', id, text)
  return listener.done(id)
}

describe('an ACP agent', () => {
  test('accepts a turn, and its updates arrive numbered and in order', async () => {
    await using agent = await started({ MODES: 'build,plan' })
    const { host, listener } = agent
    expect(await turn(host, listener, 'say one two three')).toMatchObject({
      reason: 'end_turn',
      usage: { totalTokens: 10 },
    })
    await turn(host, listener, 'plan the day')
    await turn(host, listener, 'use some')
    expect(listener.kinds).toEqual([
      ...['ready', 'turn', 'agent_message_chunk', 'done'],
      ...['turn', 'plan', 'done', 'turn', 'usage_update', 'done'],
    ])
    expect(listener.words).toBe('one two three ')
    expect(listener.records.map(({ seq }) => seq)).toEqual(listener.records.map((_, at) => at + 1))
    expect(listener.records[0]).toMatchObject({
      type: 'ready',
      mode: 'build',
      modes: [{ id: 'build' }, { id: 'plan' }],
    })
    expect(await host.list()).toMatchObject([{ key: 'a', kind: 'acp', state: 'running' }])
    expect((await host.screen('a')).lines.join('\n')).toContain('one two three')
  })

  test('accepts a turn only once, and none while another is running', async () => {
    await using agent = await started()
    const { host, listener } = agent
    await host.prompt('a', 'first', 'wait')
    expect(host.prompt('a', 'second', 'say no')).rejects.toMatchObject({ code: 'conflict-wrong-state' })
    await host.prompt('a', 'first', 'wait')
    expect(await host.cancel('a')).toBe(true)
    expect(await listener.done('first')).toMatchObject({ reason: 'cancelled' })
    expect(listener.kinds.filter((kind) => kind === 'turn')).toHaveLength(1)
  })

  test('rejects a turn with its own reason', async () => {
    await using agent = await started()
    const { host, listener } = agent
    expect(host.prompt('a', 'x', 'refuse')).rejects.toThrow('the agent did not take it: Internal error: no credit')
    expect(await listener.done('x')).toMatchObject({ reason: 'error' })
    await turn(host, listener, 'say still here')
  })

  test('waits until each of its permission requests is answered', async () => {
    await using agent = await started()
    const { host, listener } = agent
    await host.prompt('a', 't', 'ask left right')
    const [left = '', right = ''] = await listener.permissionRequests(2)
    expect(host.answer('a', left, 'maybe')).rejects.toMatchObject({ code: 'validation-failed' })
    await host.answer('a', right, 'no')
    expect(host.answer('a', right, 'no')).rejects.toMatchObject({ code: 'conflict-wrong-state' })
    await host.answer('a', left, 'yes')
    await listener.done('t')
    expect(listener.words).toContain('left: yes')
    expect(listener.words).toContain('right: no')
  })

  test('has a form filled by a person, who may decline or cancel it, and hears of nothing that does not fit', async () => {
    await using agent = await started()
    const { host, listener } = agent
    await host.prompt('a', '1', 'form')
    const [first = ''] = await listener.permissionRequests()
    const asked = listener.records.find((record) => record.type === 'asked')
    const box = { role: 'other', ticks: true } as const
    expect(asked).toMatchObject({
      tool: { title: 'Where shall it go?', kind: 'elicitation' },
      options: [
        { id: '1', label: 'Place (required)', ...box, text: 'required', choices: ['staging', 'production'] },
        { id: '2', label: 'Sizes', ...box, text: 'required', choices: ['Small', 'Large'], several: true },
        { id: '3', label: 'Sure: Whether you are sure', ...box },
        { id: '4', label: 'Count', ...box, text: 'required' },
        { id: 'accept', label: 'Accept', role: 'allow-once' },
        { id: 'decline', label: 'Decline', role: 'deny' },
        { id: 'cancel', label: 'Cancel', role: 'other' },
      ],
    })
    expect(host.answer('a', first, 'accept')).rejects.toThrow('needs an answer as well')
    expect(host.answer('a', first, '1,4', 'staging\nmany')).rejects.toThrow('is not a number')
    await host.answer('a', first, '1,2,3', '2\nsmall, large')
    await listener.done('1')
    const content = { place: 'production', sizes: ['s', 'l'], sure: true, count: 2 }
    expect(listener.words).toBe(JSON.stringify({ action: 'accept', content }))
    await host.prompt('a', '2', 'form')
    const [, second = ''] = await listener.permissionRequests(2)
    await host.answer('a', second, 'decline')
    await listener.done('2')
    await host.prompt('a', '3', 'form')
    const [, , third = ''] = await listener.permissionRequests(3)
    await host.answer('a', third, 'cancel')
    await listener.done('3')
    await host.prompt('a', '4', 'form url')
    await listener.done('4')
    expect(listener.words).toContain('{"action":"decline"}{"action":"cancel"}')
    expect(listener.words).toContain('mode url is not supported')
    expect(host.answer('a', first, 'accept')).rejects.toThrow('is no longer asked')
  })

  test('has its pending permission requests withdrawn when the turn is cancelled', async () => {
    await using agent = await started()
    const { host, listener } = agent
    await host.prompt('a', 't', 'ask it')
    const [request] = await listener.permissionRequests()
    await host.cancel('a')
    await listener.done('t')
    expect(listener.records).toContainEqual(expect.objectContaining({ type: 'answered', request }))
    expect(listener.words).toContain('it: cancelled')
  })

  test('is terminated with its processes when it takes too long to initialize', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const spec = agentSpec(world, 'a', { SLOW_MS: '60000' }, { acp: { patience: 300 } })
    const exit = exitOf(host, 'a')
    expect(host.start(spec)).rejects.toThrow('the agent did not open a conversation in 0.3 s')
    await gone((await exit).pid)
    expect((await host.list()).filter(({ state }) => state === 'running')).toEqual([])
  })

  test('that requires a login reports how to log in', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const starting = host.start(agentSpec(world, 'a', { LOGIN: '1' }))
    expect(starting).rejects.toThrow('the agent must be logged in first: run `agent login`')
    await starting.catch(() => {})
  })

  test('that crashes during a turn ends the turn, and its exit includes its stderr', async () => {
    await using agent = await started()
    const { host, listener } = agent
    const exit = exitOf(host, 'a')
    await host.prompt('a', 't', 'die').catch(() => {})
    expect(await exit).toMatchObject({ exitCode: 3, lastOutput: ['out of luck'] })
    expect(await listener.done('t')).toMatchObject({ reason: 'error' })
  })

  test('that closes its connection is terminated', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const exit = exitOf(host, 'a')
    const answer = (id: number, result: object) =>
      `read -r line; echo '${JSON.stringify({ jsonrpc: '2.0', id, result })}'`
    const hello = answer(0, { protocolVersion: 1 })
    const argv = ['sh', '-c', `${hello}; ${answer(1, { sessionId: 's' })}; read -r line; exec sleep 600 >&-`]
    await host.start({ ...agentSpec(world, 'a'), argv })
    await host.prompt('a', 't', 'say two words').catch(() => {})
    expect(await exit).toMatchObject({ reason: 'exited', signal: 'SIGTERM' })
  })

  test('resumes an earlier conversation without replaying it', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const listener = new Listener(host)
    await host.start(agentSpec(world, 'a', { HISTORY: '1' }, { acp: { resume: 'long-ago' } }))
    await host.start(agentSpec(world, 'b', {}, { acp: { resume: 'forgotten' } }))
    await listener.until(() => listener.records.length === 2)
    expect(listener.records).toMatchObject([
      { type: 'ready', resumed: true, conversation: 'long-ago', resumable: true },
      { type: 'ready', resumed: false },
    ])
  })

  test('starts in the configured mode, if it supports that mode', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const listener = new Listener(host)
    await host.start(agentSpec(world, 'a', { MODES: 'build,plan' }, { acp: { mode: 'plan' } }))
    expect(await listener.until(({ type }) => type === 'ready')).toMatchObject({ mode: 'plan' })
    const wrong = host.start(agentSpec(world, 'b', { MODES: 'build,plan' }, { acp: { mode: 'fly' } }))
    expect(wrong).rejects.toThrow('the agent has no mode "fly"; it has build, plan')
    await wrong.catch(() => {})
  })
})

describe('the file system and terminals of an ACP agent', () => {
  /** The agent message after a prompt with one instruction. */
  const did = async (world: HostWorld, host: HostClient, listener: Listener, text: string) => {
    const before = listener.words.length
    await turn(host, listener, text.replaceAll('~', world.folder.at('work')))
    return listener.words.slice(before)
  }

  async function atWork() {
    const world = hostWorld()
    mkdirSync(world.folder.at('work'))
    writeFileSync(world.folder.at('secret'), 'secret')
    const host = await world.connect()
    const listener = new Listener(host)
    await host.start(agentSpec(world, 'a', {}, { cwd: world.folder.at('work') }))
    const say = (text: string) => did(world, host, listener, text)
    return { world, host, listener, say, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
  }

  test('give it read and write access inside its folder', async () => {
    await using work = await atWork()
    expect(await work.say('write ~/deep/in/it.txt hello there')).toBe('written')
    expect(await work.say('read ~/deep/in/it.txt')).toBe('hello there')
    expect(await work.say('write ~/deep/in/it.txt bye')).toBe('written')
    expect(readFileSync(work.world.folder.at('work', 'deep', 'in', 'it.txt'), 'utf8')).toBe('bye')
    expect(await work.say('read ~/nothing.txt')).toContain('Resource not found')
    expect(await work.say('read ~')).toContain('is not a file')
  })

  test('deny every path outside its folder', async () => {
    await using work = await atWork()
    const { folder } = work.world
    symlinkSync(folder.at('secret'), folder.at('work', 'link'))
    symlinkSync(folder.path, folder.at('work', 'up'))
    symlinkSync(folder.at('not-yet'), folder.at('work', 'dangling'))
    for (const way of ['~/../secret', '~/link', '~/up/secret', '~/up/work/../secret', '/etc/passwd', '../secret']) {
      expect(await work.say(`read ${way}`)).toContain('outside the folder')
    }
    for (const way of ['~/../new', '~/link', '~/up/new', '~/dangling', `${folder.at('work')}-beside`]) {
      expect(await work.say(`write ${way} x`)).toContain('outside the folder')
    }
    expect(readFileSync(folder.at('secret'), 'utf8')).toBe('secret')
    expect(existsSync(folder.at('new')) || existsSync(folder.at('not-yet'))).toBe(false)
    expect(work.listener.kinds.filter((kind) => kind === 'error')).toHaveLength(11)
  })

  test('run commands in its folder and end them with the session', async () => {
    await using work = await atWork()
    expect(JSON.parse(await work.say('run pwd; echo bad >&2; exit 4'))).toEqual({
      output: `${work.world.folder.at('work')}\nbad\n`,
      truncated: false,
      exitStatus: { exitCode: 4 },
    })
    await work.say('leave echo $$ > pid; exec sleep 600')
    const pid = work.world.folder.at('work', 'pid')
    while (!existsSync(pid) || readFileSync(pid, 'utf8') === '') await Bun.sleep(10)
    await work.host.end('a', { grace: 200 })
    await gone(Number(readFileSync(pid, 'utf8')))
  })

  test('are its own when it is confined: gc reads, writes and runs nothing for it, which nothing would confine', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const listener = new Listener(host)
    const work = world.folder.at('work')
    mkdirSync(work)
    writeFileSync(world.folder.at('work', 'own'), 'own')
    const log = world.folder.at('work', 'log')
    const root = join(import.meta.dir, '..', '..', '..')
    const confine: Confinement = {
      ...{ home: world.folder.path, private: world.folder.at('private'), read: [realpathSync(root)], write: [work] },
      ...{ network: 'session', ports: [] },
    }
    await host.start(agentSpec(world, 'a', { LOG: log }, { cwd: work, confine }))
    for (const text of ['run echo run > ran', 'read ~/own', 'write ~/new x']) {
      expect(await did(world, host, listener, text)).toContain('Method not found')
    }
    expect(existsSync(join(work, 'ran')) || existsSync(join(work, 'new'))).toBe(false)
    const [hello = ''] = readFileSync(log, 'utf8').split('\n')
    expect(JSON.parse(hello).params.clientCapabilities).toEqual({ elicitation: { form: {} } })
  })
})
