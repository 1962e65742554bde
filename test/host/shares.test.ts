import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { HostClient } from '../../src/host/client/host-client.ts'
import { Cgroup } from '../../src/host/process/cgroups.ts'
import { handDownControllers } from '../../src/host/process/controllers.ts'
import { RESOURCES, type Resource } from '../../src/host/process/resources.ts'
import { SessionShare } from '../../src/host/process/session-share.ts'
import type { Share } from '../../src/host/protocol/share.ts'
import { tempFolder } from '../support/folder.ts'
import { exitOf, type HostWorld, hostWorld, output, sh } from './world.ts'

const MB = 1024 ** 2

/** Controllers that the kernel offers a host for shares of its sessions. */
async function heldBy(world: HostWorld, host: HostClient): Promise<readonly Resource[]> {
  await host.start(sh(world, 'probe', 'exec sleep 300'))
  const group = (await host.list()).find(({ key }) => key === 'probe')?.cgroup
  await host.end('probe', { grace: 100 })
  const words = group === undefined ? '' : readFileSync(join(dirname(group), 'cgroup.subtree_control'), 'utf8')
  return RESOURCES.filter((resource) => words.trim().split(' ').includes(resource))
}

const holder = (held: readonly Resource[], resource: Resource) => {
  if (held.includes(resource)) return 'cgroup'
  return resource === 'pids' ? 'nothing' : 'priority'
}

/** A confined shell with a share of the machine. */
const shared = (world: HostWorld, key: string, script: string, share: Share) => {
  const { path } = world.folder
  const confine = {
    ...{ home: path, private: world.folder.at(`private-${key}`), read: [], write: [path], ports: [], share },
    network: 'session' as const,
  }
  return sh(world, key, script, { confine })
}

describe('a confined session with a share of the machine', () => {
  test('is held to it by its cgroup, or goes behind all others where the system hands none down', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const granted = await heldBy(world, host)
    const look = 'echo nice=$(nice) memory=$(cat /proc/self/oom_score_adj) end; exec sleep 300'
    await host.start(shared(world, 'a', look, { cpu: 1.5, memory: 512 * MB, pids: 100 }))
    const { text } = await output(host, 'a', (seen) => seen.includes('end'))
    const hosted = (await host.list()).find(({ key }) => key === 'a')
    const held = hosted?.share?.map(({ resource, most, by }) => ({ resource, most, by }))
    const most = { cpu: 1.5, memory: 512 * MB, pids: 100 }
    expect(held).toEqual(
      RESOURCES.map((resource) => ({ resource, most: most[resource], by: holder(granted, resource) })),
    )
    expect(text).toContain(
      `nice=${granted.includes('cpu') ? 0 : 10} memory=${granted.includes('memory') ? 0 : 500} end`,
    )
    const limit = (name: string) => readFileSync(join(hosted?.cgroup ?? '', name), 'utf8').trim()
    if (granted.includes('cpu')) expect(limit('cpu.max')).toBe('150000 100000')
    if (granted.includes('memory')) expect(limit('memory.max')).toBe(String(512 * MB))
    if (granted.includes('pids')) expect(limit('pids.max')).toBe('100')
    const [status] = await host.status()
    expect(status?.noShare === '').toBe(granted.length === RESOURCES.length)
  })

  test('that takes more memory is killed whole, and its exit says why, where its cgroup holds it', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const granted = await heldBy(world, host)
    const exit = exitOf(host, 'a', 60_000)
    await host.start(shared(world, 'a', 'head -c 200000000 /dev/zero | tail > /dev/null; exit 5', { memory: 64 * MB }))
    const killed = { signal: 'SIGKILL', memoryLack: 'share' as const }
    const { exitCode, signal, memoryLack } = await exit
    expect({ exitCode, signal, memoryLack }).toEqual(
      granted.includes('memory')
        ? { exitCode: undefined, ...killed }
        : { exitCode: 5, signal: undefined, memoryLack: undefined },
    )
  })

  test('starts no more processes than it may have, where its cgroup counts them', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const granted = await heldBy(world, host)
    const many = 'for n in $(seq 30); do sleep 300 & done; echo $(jobs | wc -l) run; wait'
    const exit = exitOf(host, 'a', 20_000)
    await host.start(shared(world, 'a', many, { pids: 12 }))
    const { text } = await output(host, 'a', (seen) => /annot fork|\d run/.test(seen))
    expect(/annot fork/.test(text)).toBe(granted.includes('pids'))
    await host.end('a', { grace: 100 })
    await exit
  })

  test('can neither change what holds it, nor leave it, nor end it', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const waits = 'while [ ! -e go ]; do sleep 0.1; done; . ./go; echo end; exec sleep 300'
    await host.start(shared(world, 'a', waits, { memory: 512 * MB }))
    const [hosted] = await host.list()
    const own = hosted?.cgroup ?? '/sys/fs/cgroup'
    const attempts = [
      `echo max > ${own}/memory.max`,
      `echo $$ > ${dirname(own)}/cgroup.procs`,
      `echo 1 > ${own}/cgroup.kill`,
      `mkdir ${own}/own`,
      'echo -1000 > /proc/self/oom_score_adj',
    ]
    writeFileSync(world.folder.at('go.new'), attempts.map((line) => `(${line})\n`).join(''))
    renameSync(world.folder.at('go.new'), world.folder.at('go'))
    const { text } = await output(host, 'a', (seen) => /end\r/.test(seen))
    expect(text.match(/ermission denied/g)).toHaveLength(attempts.length)
    expect((await host.list())[0]).toMatchObject({ state: 'running' })
  })

  test('without one has nothing that is held', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await host.start(sh(world, 'a', 'exec sleep 300'))
    expect((await host.list())[0]?.share).toBeUndefined()
  })
})

/** A folder with the files of a group, as the kernel writes them. */
function group(files: Readonly<Record<string, string>>) {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(folder.at(name), text)
  return folder
}

describe('a cgroup', () => {
  test.each([
    ['its share', 'low 0\nhigh 0\nmax 33\noom 2\noom_kill 3\noom_group_kill 1\n', 'share'],
    ['the memory of the machine', 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\noom_group_kill 0\n', 'machine'],
    ['nothing', 'low 0\nhigh 0\nmax 12\noom 0\noom_kill 0\noom_group_kill 0\n', undefined],
  ] as const)('knows that %s was used up when something of it was killed', (_, events, lack) => {
    using folder = group({ 'memory.events': events })
    expect(new Cgroup(folder.path, new Set(['memory'])).memoryLack).toBe(lack)
  })

  test('that is gone, or whose memory no one counts, knows nothing', () => {
    using folder = group({})
    const cgroup = new Cgroup(folder.at('gone'), new Set())
    expect([cgroup.memoryLack, cgroup.used('memory'), cgroup.used('cpu')]).toEqual([undefined, undefined, undefined])
  })

  test('is limited to what its controllers know, and the rest of a share is left to priorities', () => {
    using folder = group({ 'memory.current': '1048576\n' })
    const cgroup = new Cgroup(folder.path, new Set(['memory']))
    const share = SessionShare.of({ cpu: 0.5, memory: 64 * MB, pids: 9 }, cgroup, () => {})
    expect(share.view).toEqual([
      { resource: 'cpu', most: 0.5, by: 'priority' },
      { resource: 'memory', most: 64 * MB, by: 'cgroup', used: MB },
      { resource: 'pids', most: 9, by: 'nothing' },
    ])
    expect(share.yields).toEqual(['cpu'])
    expect(readFileSync(folder.at('memory.max'), 'utf8')).toBe(String(64 * MB))
    expect(readFileSync(folder.at('memory.oom.group'), 'utf8')).toBe('1')
  })

  test('that takes no limit leaves the share to priorities and says so', () => {
    using folder = group({})
    mkdirSync(folder.at('memory.max'))
    const said: string[] = []
    const cgroup = new Cgroup(folder.path, new Set(['memory']))
    const share = SessionShare.of({ memory: 64 * MB }, cgroup, (sentence) => said.push(sentence))
    expect(share.yields).toEqual(['memory'])
    expect(said[0]).toStartWith('a session is not held to its share: ')
  })

  test('delegates the controllers that it has not delegated yet', () => {
    using folder = group({ 'cgroup.controllers': 'cpuset cpu io pids\n', 'cgroup.subtree_control': 'pids\n' })
    expect(handDownControllers(folder.path)).toEqual({
      held: new Set(['cpu', 'pids']),
      reason: `${folder.path} has no controller of memory`,
    })
    expect(readFileSync(folder.at('cgroup.subtree_control'), 'utf8')).toBe('+cpu')
  })
})
