import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { alive, gone, type HostWorld, hostWorld, output, sh } from './world.ts'

describe('the session host', () => {
  test('starts with the first session, and nothing that only reads starts it', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    expect(await host.list()).toEqual([])
    expect(await host.status()).toEqual([])
    expect(await host.end('a')).toBeUndefined()
    await expect(host.screen('a')).rejects.toThrow('no session a runs here')
    await expect(host.write('a', 'x')).rejects.toThrow('no session a runs here')
    expect(existsSync(world.folder.at('home', 'host'))).toBe(false)
    await host.start(sh(world, 'a', 'echo here; exec sleep 60'))
    await output(host, 'a', (text) => text.includes('here'))
    expect(await host.status()).toMatchObject([{ sessions: 1, retired: false }])
  })

  /** A folder with a systemd of the user, whose `systemd-run` is this script. */
  const withManager = (world: HostWorld, script: string) => {
    const { folder } = world
    for (const path of [folder.at('bin'), folder.at('run', 'systemd')]) mkdirSync(path, { recursive: true })
    writeFileSync(folder.at('run', 'systemd', 'private'), '')
    writeFileSync(folder.at('bin', 'systemd-run'), `#!/bin/sh\necho "$*" >> ${folder.at('asked')}\n${script}\n`)
    chmodSync(folder.at('bin', 'systemd-run'), 0o755)
    return { PATH: `${folder.at('bin')}:${process.env.PATH}`, XDG_RUNTIME_DIR: folder.at('run') }
  }

  test('is started in a scope of its own of the user’s systemd, which is delegated to it', async () => {
    await using world = hostWorld()
    const env = withManager(world, 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"')
    const host = await world.connect({ env })
    await host.start(sh(world, 'a', 'exec sleep 60'))
    expect(await host.status()).toMatchObject([{ sessions: 1 }])
    const asked = readFileSync(world.folder.at('asked'), 'utf8')
    expect(asked).toStartWith('--user --scope --quiet --collect --property=Delegate=yes -- ')
    expect(asked.trim().split('\n')).toHaveLength(1)
  })

  test('is started without a scope where systemd gives none, or none is wanted', async () => {
    await using world = hostWorld()
    const env = withManager(world, 'echo "Failed to connect to bus" >&2; exit 1')
    const host = await world.connect({ env })
    await host.start(sh(world, 'a', 'exec sleep 60'))
    expect(await host.status()).toMatchObject([{ sessions: 1 }])
    expect(readFileSync(world.folder.at('asked'), 'utf8').trim().split('\n')).toHaveLength(1)
    await using other = hostWorld()
    const off = await other.connect({ env: { ...withManager(other, 'exit 1'), GC_SESSION_CGROUP: 'off' } })
    await off.start(sh(other, 'a', 'exec sleep 60'))
    expect(existsSync(other.folder.at('asked'))).toBe(false)
  })

  test('that is killed while it runs nothing is started again only by the next session', async () => {
    await using world = hostWorld()
    await world.launch()
    const host = await world.connect()
    const [first] = await host.status()
    const lost = Promise.withResolvers<string>()
    host.onLost(lost.resolve)
    process.kill(first?.pid ?? 0, 'SIGKILL')
    expect(await lost.promise).toContain('it ran nothing')
    expect(await host.list()).toEqual([])
    expect(await host.status()).toEqual([])
    await host.start(sh(world, 'a', 'exec sleep 60'))
    expect(await host.status()).toMatchObject([{ sessions: 1 }])
  })

  test('that died is replaced at once when it left a session, which is ended before anything is listed', async () => {
    await using world = hostWorld()
    const first = await world.connect()
    const { pid } = await first.start(sh(world, 'a', `trap '' HUP TERM; while :; do sleep 1; done`))
    const [status] = await first.status()
    first.close()
    process.kill(status?.pid ?? 0, 'SIGKILL')
    await gone(status?.pid ?? 0)
    const second = await world.connect()
    expect(alive(pid)).toBe(false)
    expect(await second.list()).toMatchObject([{ key: 'a', state: 'exited', reason: 'host-lost' }])
  })
})
