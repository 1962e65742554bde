import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { alive, gone, hostWorld, output, sh } from './world.ts'

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
