import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import type { HostClient } from '../../src/host/client/host-client.ts'
import { alive, exitOf, gone, type HostWorld, hostWorld, output, sh } from './world.ts'

/** The pids that a session printed as `name=pid`. */
async function pidsOf(host: HostClient, key: string, names: string[]): Promise<Record<string, number>> {
  const { text } = await output(host, key, (seen) => names.every((name) => new RegExp(`${name}=\\d+\r`).test(seen)))
  return Object.fromEntries([...text.matchAll(/(\w+)=(\d+)\r/g)].map(([, name = '', pid]) => [name, Number(pid)]))
}

/** Here processes are found one by one, as on a system that delegates no cgroup. */
const WITHOUT_CGROUPS = { env: { GC_SESSION_CGROUP: 'off' } }

/** The environment variables that mark the daemons of this session. */
const marked = (world: HostWorld) => ({
  env: { PATH: process.env.PATH ?? '', GC_HOME: world.home, GC_CITY: '/city', GC_SESSION_ID: 'mp-1' },
})

/** A process that started its own session and lost its parent, as daemons do. */
const daemon = `sh -c 'setsid sh -c "trap \\"\\" HUP TERM; echo daemon=\\$\\$; sleep 300" & sleep 0.2'`

describe('ending a session', () => {
  test('kills its whole process tree: background jobs, forked children, and those that ignore HUP and TERM', async () => {
    await using world = hostWorld()
    const host = await world.connect(WITHOUT_CGROUPS)
    const script = `trap '' HUP TERM
      sh -c 'echo deaf=$$; while :; do sleep 1; done' &
      sh -c 'sh -c "echo deep=\\$\\$; sleep 300" & echo middle=$$; wait' &
      setsid sh -c 'trap "" TERM; echo left=$$; sleep 300' &
      echo leader=$$; while :; do sleep 1; done`
    await host.start(sh(world, 'a', script))
    const pids = await pidsOf(host, 'a', ['deaf', 'deep', 'middle', 'left', 'leader'])
    const ended = await host.end('a', { grace: 300 })
    expect(ended).toMatchObject({ key: 'a', reason: 'ended', signal: 'SIGKILL', pid: pids.leader, daemons: [] })
    expect(Object.entries(pids).filter(([, pid]) => alive(pid))).toEqual([])
  })

  test('waits for programs to exit cleanly, and no longer than they need', async () => {
    await using world = hostWorld()
    const host = await world.connect(WITHOUT_CGROUPS)
    await host.start(sh(world, 'a', `trap 'echo saved; exit 4' TERM; echo ready; while :; do sleep 0.05; done`))
    await output(host, 'a', (text) => text.includes('ready'))
    const ended = await host.end('a', { grace: 3_600_000 })
    expect(ended).toMatchObject({ exitCode: 4, reason: 'ended' })
    expect(ended?.lastOutput).toContain('saved')
  })

  test('reports a daemon that started its own session, and lets it live', async () => {
    await using world = hostWorld()
    const host = await world.connect(WITHOUT_CGROUPS)
    await host.start(sh(world, 'a', `${daemon}; echo leader=$$; sleep 300`, marked(world)))
    const { daemon: pid = 0 } = await pidsOf(host, 'a', ['daemon', 'leader'])
    const left = await host.listDaemons()
    expect([...left.keys()]).toEqual(['a'])
    expect(left.get('a')?.map((one) => one.pid)).toContain(pid)
    const ended = await host.end('a', { grace: 200 })
    expect(ended?.daemons.map((one) => one.pid)).toContain(pid)
    expect(alive(pid)).toBe(true)
    expect(await host.listDaemons()).toEqual(new Map())
    for (const one of ended?.daemons ?? []) if (alive(one.pid)) process.kill(one.pid, 'SIGKILL')
  })

  test('kills its daemons as well with `daemons: true`', async () => {
    await using world = hostWorld()
    const host = await world.connect(WITHOUT_CGROUPS)
    await host.start(sh(world, 'a', `${daemon}; echo leader=$$; sleep 300`, marked(world)))
    const { daemon: pid = 0 } = await pidsOf(host, 'a', ['daemon', 'leader'])
    expect(await host.end('a', { grace: 200, daemons: true })).toMatchObject({ daemons: [] })
    expect(alive(pid)).toBe(false)
  })

  test('succeeds for an unknown key, and concurrent requests get the same exit', async () => {
    await using world = hostWorld()
    const host = await world.connect(WITHOUT_CGROUPS)
    expect(await host.end('nobody')).toBeUndefined()
    await host.start(sh(world, 'a', 'exec sleep 300'))
    const [one, two] = await Promise.all([host.end('a', { grace: 200 }), host.end('a', { grace: 200 })])
    expect(one?.run).toBe(two?.run ?? '')
    expect(one).toMatchObject({ signal: 'SIGTERM', reason: 'ended' })
  })

  test('gets faster when it is requested again with a shorter grace period', async () => {
    await using world = hostWorld()
    const host = await world.connect(WITHOUT_CGROUPS)
    await host.start(sh(world, 'a', `trap '' TERM; echo ready; while :; do sleep 0.05; done`))
    await output(host, 'a', (text) => text.includes('ready'))
    const slow = host.end('a', { grace: 60_000 })
    expect((await host.list())[0]).toMatchObject({ state: 'running', ending: true })
    expect(await host.end('a', { grace: 100 })).toMatchObject({ signal: 'SIGKILL' })
    expect(await slow).toMatchObject({ signal: 'SIGKILL' })
  })

  test('also kills what is left in its terminal when the leader exits on its own', async () => {
    await using world = hostWorld()
    const host = await world.connect(WITHOUT_CGROUPS)
    await host.start(sh(world, 'a', `trap '' HUP; sh -c 'echo left=$$; while :; do sleep 1; done' & sleep 0.2; exit 5`))
    const { left = 0 } = await pidsOf(host, 'a', ['left'])
    expect(await exitOf(host, 'a')).toMatchObject({ exitCode: 5, reason: 'exited' })
    expect(alive(left)).toBe(false)
  })
})

describe('a host that is killed', () => {
  test('leaves nothing running: the next host ends its sessions before it starts any, and reports them', async () => {
    await using world = hostWorld()
    const host = await world.connect(WITHOUT_CGROUPS)
    const env = (id: string) => ({ env: { ...marked(world).env, GC_SESSION_ID: id } })
    const stubborn = `trap '' HUP TERM INT
      sh -c 'echo job=$$; while :; do sleep 1; done' &
      sh -c 'echo piped=$$; while :; do sleep 1; done' </dev/null 2>&1 | cat &
      ${daemon}
      echo leader=$$; while :; do sleep 1; done`
    await host.start(sh(world, 'a', stubborn, env('mp-1')))
    await host.start(sh(world, 'b', 'echo leader=$$; exec sleep 300', env('mp-2')))
    await host.start(sh(world, 'bare', `trap '' HUP; echo leader=$$; while :; do sleep 1; done`))
    const a = await pidsOf(host, 'a', ['job', 'piped', 'daemon', 'leader'])
    const b = await pidsOf(host, 'b', ['leader'])
    const bare = await pidsOf(host, 'bare', ['leader'])
    const [status] = await host.status()
    const lost = Promise.withResolvers<string>()
    host.onLost(lost.resolve)
    const exits = ['a', 'b', 'bare'].map((key) => exitOf(host, key))
    process.kill(status?.pid ?? 0, 'SIGKILL')
    for (const exit of await Promise.all(exits)) expect(exit).toMatchObject({ reason: 'host-lost', state: 'exited' })
    for (const pid of [...Object.values(a), ...Object.values(b), ...Object.values(bare)]) expect(alive(pid)).toBe(false)
    expect(await lost.promise).toContain('is gone')
    await host.start(sh(world, 'a', 'echo again; exec sleep 300'))
    await output(host, 'a', (text) => text.includes('again'))
  })

  test('together with its supervisor is cleaned up by the next supervisor, which receives the exits', async () => {
    await using world = hostWorld()
    const first = await world.connect(WITHOUT_CGROUPS)
    await first.start(sh(world, 'a', `trap '' HUP TERM; echo leader=$$; while :; do sleep 1; done`))
    const { leader = 0 } = await pidsOf(first, 'a', ['leader'])
    const [status] = await first.status()
    first.close()
    process.kill(status?.pid ?? 0, 'SIGKILL')
    await gone(status?.pid ?? 0)
    expect(alive(leader)).toBe(true)
    const second = await world.connect(WITHOUT_CGROUPS)
    expect(alive(leader)).toBe(false)
    expect(await exitOf(second, 'a')).toMatchObject({ pid: leader, reason: 'host-lost' })
  })

  test('and belonged to an earlier build is cleaned up by the current build', async () => {
    await using world = hostWorld()
    const old = await world.connect({ ...WITHOUT_CGROUPS, build: 'one' })
    await old.start(sh(world, 'a', `trap '' HUP TERM; echo leader=$$; while :; do sleep 1; done`))
    const { leader = 0 } = await pidsOf(old, 'a', ['leader'])
    const [status] = await old.status()
    old.close()
    const host = await world.connect({ ...WITHOUT_CGROUPS, build: 'two' })
    const exit = exitOf(host, 'a')
    process.kill(status?.pid ?? 0, 'SIGKILL')
    expect(await exit).toMatchObject({ reason: 'host-lost' })
    expect(alive(leader)).toBe(false)
  })

  test('and belonged to an earlier build is cleaned up even when no supervisor saw it exit', async () => {
    await using world = hostWorld()
    const old = await world.connect({ ...WITHOUT_CGROUPS, build: 'one' })
    await old.start(sh(world, 'a', `trap '' HUP TERM; echo leader=$$; while :; do sleep 1; done`))
    const { leader = 0 } = await pidsOf(old, 'a', ['leader'])
    const [status] = await old.status()
    old.close()
    const first = await world.connect({ ...WITHOUT_CGROUPS, build: 'two' })
    first.close()
    process.kill(status?.pid ?? 0, 'SIGKILL')
    await gone(status?.pid ?? 0)
    expect(alive(leader)).toBe(true)
    const second = await world.connect({ ...WITHOUT_CGROUPS, build: 'two' })
    expect(alive(leader)).toBe(false)
    expect(await exitOf(second, 'a')).toMatchObject({ pid: leader, reason: 'host-lost' })
    expect(readdirSync(world.folder.at('home', 'host', 'one'))).toEqual(['lock'])
  })

  test('never causes an unrelated process with a reused pid to be killed', async () => {
    await using world = hostWorld()
    const host = await world.connect(WITHOUT_CGROUPS)
    await host.start(sh(world, 'a', 'exec sleep 300'))
    const [status] = await host.status()
    host.close()
    const folder = world.folder.at('home', 'host', 'dev', 'sessions')
    const [path] = [...new Bun.Glob('*/*.json').scanSync(folder)]
    const record = JSON.parse(readFileSync(`${folder}/${path}`, 'utf8'))
    process.kill(status?.pid ?? 0, 'SIGKILL')
    await gone(status?.pid ?? 0)
    // Start times have a resolution of ten milliseconds.
    await Bun.sleep(30)
    const bystander = Bun.spawn(['sleep', '300'])
    await Bun.write(`${folder}/${path}`, JSON.stringify({ ...record, pid: bystander.pid }))
    await world.connect(WITHOUT_CGROUPS)
    expect(alive(bystander.pid)).toBe(true)
    bystander.kill()
    await bystander.exited
  })
})

describe('a supervisor that is killed', () => {
  test('leaves its agents to the host, and the next supervisor adopts the same processes without a gap', async () => {
    await using world = hostWorld()
    const supervisor = Bun.spawn([process.execPath, `${import.meta.dir}/supervisor.ts`, world.home], {
      stdout: 'pipe',
      env: process.env,
    })
    const reader = supervisor.stdout.getReader()
    const { pid, startedAt } = JSON.parse(new TextDecoder().decode((await reader.read()).value))
    supervisor.kill('SIGKILL')
    await supervisor.exited
    const host = await world.connect(WITHOUT_CGROUPS)
    expect(await host.list()).toMatchObject([{ key: 'a', pid, startedAt, state: 'running' }])
    const { text, gaps } = await output(host, 'a', (seen) => seen.includes('tick 30\r'))
    expect(gaps).toBe(0)
    expect(text.split('\r\n').slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, at) => `tick ${at + 1}`))
  })

  test('and never restarted lets the sessions end after a timeout, with their last output kept', async () => {
    await using world = hostWorld()
    const host = await world.connect({ env: { GC_UNATTENDED_TIMEOUT: '300ms' } })
    const { pid } = await host.start(sh(world, 'a', `trap '' HUP; echo watched; exec sleep 300`))
    await output(host, 'a', (text) => text.includes('watched'))
    const [status] = await host.status()
    host.close()
    await gone(pid)
    await gone(status?.pid ?? 0)
    const next = await world.connect(WITHOUT_CGROUPS)
    expect(await exitOf(next, 'a')).toMatchObject({ pid, reason: 'unattended', lastOutput: ['watched'] })
  })

  test('and restarted in time keeps its sessions running', async () => {
    await using world = hostWorld()
    const host = await world.connect({ env: { GC_UNATTENDED_TIMEOUT: '3s' } })
    await host.start(sh(world, 'a', 'exec sleep 300'))
    host.close()
    const end = performance.now() + 4_000
    while (performance.now() < end) {
      const next = await world.connect(WITHOUT_CGROUPS)
      await Bun.sleep(150)
      expect(await next.list()).toMatchObject([{ key: 'a', state: 'running' }])
      next.close()
    }
  })
})

test('sessions still end, and their exits are still reported, when the home is no longer writable', async () => {
  await using world = hostWorld()
  const host = await world.connect(WITHOUT_CGROUPS)
  const { pid } = await host.start(sh(world, 'a', 'exec sleep 300'))
  rmSync(world.home, { recursive: true })
  await expect(host.start(sh(world, 'b', 'exec sleep 300'))).rejects.toThrow('so it was not started')
  const exit = exitOf(host, 'a')
  expect(await host.end('a', { grace: 200 })).toMatchObject({ pid, reason: 'ended' })
  expect(await exit).toMatchObject({ pid })
  expect(alive(pid)).toBe(false)
  expect(await host.list()).toEqual([])
})

test('shutting down ends every session and the host', async () => {
  await using world = hostWorld()
  const host = await world.connect(WITHOUT_CGROUPS)
  const started = await Promise.all(
    Array.from({ length: 5 }, (_, at) => host.start(sh(world, `s${at}`, `trap '' TERM; while :; do sleep 1; done`))),
  )
  const [status] = await host.status()
  await host.shutdown({ grace: 200 })
  expect([status?.pid ?? 0, ...started.map(({ pid }) => pid)].filter(alive)).toEqual([])
})
