import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { HostClient } from '../../../src/host/client/host-client.ts'
import { exitOf, gone, type HostWorld, hostWorld } from '../world.ts'
import { agentSpec, Listener } from './agent-host.ts'

/** A host with the agent `a`, and somebody who keeps what it says. */
async function started(env: Record<string, string> = {}) {
  const world = hostWorld()
  const host = await world.connect()
  const heard = new Listener(host)
  await host.start(agentSpec(world, 'a', env))
  return { world, host, heard, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

const turn = async (host: HostClient, heard: Listener, text: string, id = text) => {
  await host.prompt('a', id, text)
  return heard.done(id)
}

describe('an agent that is spoken to by protocol', () => {
  test('it takes a turn, and what it says is told in order and numbered', async () => {
    await using agent = await started({ MODES: 'build,plan' })
    const { host, heard } = agent
    expect(await turn(host, heard, 'say one two three')).toMatchObject({
      reason: 'end_turn',
      usage: { totalTokens: 10 },
    })
    await turn(host, heard, 'plan the day')
    await turn(host, heard, 'use some')
    expect(heard.kinds).toEqual([
      ...['ready', 'turn', 'agent_message_chunk', 'done'],
      ...['turn', 'plan', 'done', 'turn', 'usage_update', 'done'],
    ])
    expect(heard.words).toBe('one two three ')
    expect(heard.records.map(({ seq }) => seq)).toEqual(heard.records.map((_, at) => at + 1))
    expect(heard.records[0]).toMatchObject({ type: 'ready', mode: 'build', modes: [{ id: 'build' }, { id: 'plan' }] })
    expect(await host.list()).toMatchObject([{ key: 'a', kind: 'acp', state: 'running' }])
    expect((await host.screen('a')).lines.join('\n')).toContain('one two three')
  })

  test('a turn is given once, and not while another runs', async () => {
    await using agent = await started()
    const { host, heard } = agent
    await host.prompt('a', 'first', 'wait')
    expect(host.prompt('a', 'second', 'say no')).rejects.toMatchObject({ code: 'conflict-wrong-state' })
    await host.prompt('a', 'first', 'wait')
    expect(await host.cancel('a')).toBe(true)
    expect(await heard.done('first')).toMatchObject({ reason: 'cancelled' })
    expect(heard.kinds.filter((kind) => kind === 'turn')).toHaveLength(1)
  })

  test('a turn that it refuses is refused with its reason', async () => {
    await using agent = await started()
    const { host, heard } = agent
    expect(host.prompt('a', 'x', 'refuse')).rejects.toThrow('the agent did not take it: Internal error: no credit')
    expect(await heard.done('x')).toMatchObject({ reason: 'error' })
    await turn(host, heard, 'say still here')
  })

  test('what it asks waits until it is answered, each question for itself', async () => {
    await using agent = await started()
    const { host, heard } = agent
    await host.prompt('a', 't', 'ask left right')
    const [left = '', right = ''] = await heard.asked(2)
    expect(host.answer('a', left, 'maybe')).rejects.toMatchObject({ code: 'validation-failed' })
    await host.answer('a', right, 'no')
    expect(host.answer('a', right, 'no')).rejects.toMatchObject({ code: 'conflict-wrong-state' })
    await host.answer('a', left, 'yes')
    await heard.done('t')
    expect(heard.words).toContain('left: yes')
    expect(heard.words).toContain('right: no')
  })

  test('a turn that is cancelled takes its questions off the table', async () => {
    await using agent = await started()
    const { host, heard } = agent
    await host.prompt('a', 't', 'ask it')
    const [request] = await heard.asked()
    await host.cancel('a')
    await heard.done('t')
    expect(heard.records).toContainEqual(expect.objectContaining({ type: 'answered', request }))
    expect(heard.words).toContain('it: cancelled')
  })

  test('one that is slow to say hello is given up, with its processes', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const spec = agentSpec(world, 'a', { SLOW_MS: '60000' }, { acp: { patience: 300 } })
    const exit = exitOf(host, 'a')
    expect(host.start(spec)).rejects.toThrow('the agent did not open a conversation in 0.3 s')
    await gone((await exit).pid)
    expect((await host.list()).filter(({ state }) => state === 'running')).toEqual([])
  })

  test('one that has to be logged in first says how', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const starting = host.start(agentSpec(world, 'a', { LOGIN: '1' }))
    expect(starting).rejects.toThrow('the agent has to be logged in first: run `agent login`')
    await starting.catch(() => {})
  })

  test('one that dies in a turn ends it, and its exit has what it complained of', async () => {
    await using agent = await started()
    const { host, heard } = agent
    const exit = exitOf(host, 'a')
    await host.prompt('a', 't', 'die').catch(() => {})
    expect(await exit).toMatchObject({ exitCode: 3, lastOutput: ['out of luck'] })
    expect(await heard.done('t')).toMatchObject({ reason: 'error' })
  })

  test('one that hangs up is ended', async () => {
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

  test('it goes on with an earlier conversation, which is not told again', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const heard = new Listener(host)
    await host.start(agentSpec(world, 'a', { HISTORY: '1' }, { acp: { resume: 'long-ago' } }))
    await host.start(agentSpec(world, 'b', {}, { acp: { resume: 'forgotten' } }))
    await heard.until(() => heard.records.length === 2)
    expect(heard.records).toMatchObject([
      { type: 'ready', resumed: true, conversation: 'long-ago', resumable: true },
      { type: 'ready', resumed: false },
    ])
  })

  test('it begins in the mode that is wanted, if it has it', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const heard = new Listener(host)
    await host.start(agentSpec(world, 'a', { MODES: 'build,plan' }, { acp: { mode: 'plan' } }))
    expect(await heard.until(({ type }) => type === 'ready')).toMatchObject({ mode: 'plan' })
    const wrong = host.start(agentSpec(world, 'b', { MODES: 'build,plan' }, { acp: { mode: 'fly' } }))
    expect(wrong).rejects.toThrow('the agent has no mode "fly"; it has build, plan')
    await wrong.catch(() => {})
  })
})

describe('the folder of an agent', () => {
  /** What the agent says when it was told to do one thing. */
  const did = async (world: HostWorld, host: HostClient, heard: Listener, text: string) => {
    const before = heard.words.length
    await turn(host, heard, text.replaceAll('~', world.folder.at('work')))
    return heard.words.slice(before)
  }

  async function atWork() {
    const world = hostWorld()
    mkdirSync(world.folder.at('work'))
    writeFileSync(world.folder.at('secret'), 'secret')
    const host = await world.connect()
    const heard = new Listener(host)
    await host.start(agentSpec(world, 'a', {}, { cwd: world.folder.at('work') }))
    const say = (text: string) => did(world, host, heard, text)
    return { world, host, heard, say, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
  }

  test('files are read and written in it', async () => {
    await using work = await atWork()
    expect(await work.say('write ~/deep/in/it.txt hello there')).toBe('written')
    expect(await work.say('read ~/deep/in/it.txt')).toBe('hello there')
    expect(await work.say('write ~/deep/in/it.txt bye')).toBe('written')
    expect(readFileSync(work.world.folder.at('work', 'deep', 'in', 'it.txt'), 'utf8')).toBe('bye')
    expect(await work.say('read ~/nothing.txt')).toContain('Resource not found')
    expect(await work.say('read ~')).toContain('is not a file')
  })

  test('nothing outside it is reached, whichever way', async () => {
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
    expect(work.heard.kinds.filter((kind) => kind === 'error')).toHaveLength(11)
  })

  test('commands run in it, and end with the session', async () => {
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
})
