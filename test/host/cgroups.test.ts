import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { obstacleToCgroups } from '../../src/host/process/cgroups.ts'
import { until } from '../support/until.ts'
import { alive, exitOf, gone, hostWorld, output, sh } from './world.ts'

const reason = obstacleToCgroups()
const SYSTEM = reason === undefined ? 'this system allows it' : `skipped: ${reason}`

/** Leaves its terminal session, forks twice, ignores TERM and forgets which session it was started in. */
const LEAVES = `(env -i setsid sh -c 'trap "" TERM HUP; echo left=$$; exec sleep 300' &); echo leader=$$`

const pid = (text: string, name: string): number => Number(new RegExp(`${name}=(\\d+)\r`).exec(text)?.[1])

describe.skipIf(reason !== undefined)(`a session with a cgroup (${SYSTEM})`, () => {
  test('ends with everything that was started in it, also with a daemon that shows no sign of it', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await host.start(sh(world, 'a', `${LEAVES}; exec sleep 300`))
    const { text } = await output(host, 'a', (seen) => /left=\d+\r/.test(seen) && /leader=\d+\r/.test(seen))
    const [hosted] = await host.list()
    const cgroup = hosted?.cgroup ?? ''
    expect(readFileSync(`${cgroup}/cgroup.procs`, 'utf8').split('\n').map(Number)).toContain(pid(text, 'left'))
    expect((await host.status())[0]?.noCgroup).toBe('')
    expect(await host.end('a', { grace: 100 })).toMatchObject({ reason: 'ended', daemons: [] })
    expect([alive(pid(text, 'left')), alive(pid(text, 'leader')), existsSync(cgroup)]).toEqual([false, false, false])
  })

  test('also ends with all of it when its program exits on its own', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await host.start(sh(world, 'a', `${LEAVES}; sleep 0.3; exit 3`))
    const { text } = await output(host, 'a', (seen) => /left=\d+\r/.test(seen))
    expect(await exitOf(host, 'a')).toMatchObject({ reason: 'exited', exitCode: 3, daemons: [] })
    await gone(pid(text, 'left'))
  })

  test('is ended whole by the next host when its host was killed', async () => {
    await using world = hostWorld()
    const first = await world.connect()
    await first.start(sh(world, 'a', `${LEAVES}; exec sleep 300`))
    const { text } = await output(first, 'a', (seen) => /left=\d+\r/.test(seen))
    const [hosted] = await first.list()
    const [status] = await first.status()
    first.close()
    process.kill(status?.pid ?? 0, 'SIGKILL')
    await gone(status?.pid ?? 0)
    expect(alive(pid(text, 'left'))).toBe(true)
    await world.connect()
    expect(alive(pid(text, 'left'))).toBe(false)
    expect(existsSync(hosted?.cgroup ?? '')).toBe(false)
  })

  test('leaves its host, and the sessions beside it, where they were', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await Promise.all(['a', 'b', 'c'].map((key) => host.start(sh(world, key, 'exec sleep 300'))))
    const sessions = await host.list()
    const [status] = await host.status()
    const own = readFileSync(`/proc/${status?.pid}/cgroup`, 'utf8')
    expect(own).not.toContain('gc-session')
    for (const { cgroup = '', pid } of sessions) {
      expect(readFileSync(`${cgroup}/cgroup.procs`, 'utf8')).toBe(`${pid}\n`)
    }
    await host.end('b', { grace: 100 })
    expect((await host.list()).filter(({ state }) => state === 'running').map(({ key }) => key)).toEqual(['a', 'c'])
    expect(alive(status?.pid ?? 0)).toBe(true)
  })

  test('that cannot be started leaves no cgroup', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await host.start(sh(world, 'a', 'exec sleep 300'))
    const folder = dirname((await host.list())[0]?.cgroup ?? '')
    const groups = () => [...new Bun.Glob('gc-*').scanSync({ cwd: folder, onlyFiles: false })]
    const before = new Set(groups())
    await expect(host.start({ ...sh(world, 'b', 'true'), argv: ['/no/such/program'] })).rejects.toThrow()
    // Other hosts of this machine make groups meanwhile, and each of theirs has processes or goes.
    const left = () => groups().filter((name) => !before.has(name) && isEmpty(join(folder, name)))
    await until(() => left().length === 0)
  })
})

test('without cgroups the reason is reported, and what left a session lives on', async () => {
  await using world = hostWorld()
  const host = await world.connect({ env: { GC_SESSION_CGROUP: 'off' } })
  const env = { PATH: process.env.PATH ?? '', GC_HOME: world.home, GC_CITY: '/city', GC_SESSION_ID: 'mp-1' }
  await host.start(sh(world, 'a', `(setsid sh -c 'echo left=$$; exec sleep 300' &); exec sleep 300`, { env }))
  const { text } = await output(host, 'a', (seen) => /left=\d+\r/.test(seen))
  expect((await host.list())[0]?.cgroup).toBeUndefined()
  expect((await host.status())[0]?.noCgroup).toBe('they are switched off by GC_SESSION_CGROUP')
  expect((await host.end('a', { grace: 100 }))?.daemons.map((one) => one.pid)).toEqual([pid(text, 'left')])
  process.kill(pid(text, 'left'), 'SIGKILL')
})

/** True if a group is there and has no process. */
const isEmpty = (folder: string): boolean => {
  try {
    return readFileSync(join(folder, 'cgroup.procs'), 'utf8') === ''
  } catch {
    return false
  }
}
