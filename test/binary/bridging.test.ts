import { describe, expect, test } from 'bun:test'
import { connect, createServer } from 'node:net'
import { Lock } from '../../src/core/lock.ts'
import { up } from '../slow/town.ts'
import { World } from '../support/world.ts'
import { type LentSession, lentSession } from './lent-session.ts'
import { run } from './session-command.ts'

const COMMANDS = [
  ['hook', '--claim', '--json'],
  ['mail', 'check', '--json'],
  ['mail', 'check', '--inject'],
  ['bd', 'create', 'made in between', '--json'],
  ['bd', 'ready', '--json'],
  ['prime'],
]

const titles = async ({ city }: LentSession): Promise<string[]> =>
  (await city.call('GET ~/beads?limit=1000')).body.items.map(({ title }: { title: string }) => title)

describe('a command in a session', () => {
  test('waits while the supervisor is killed and started again at another address', async () => {
    await using world = await World.open()
    const lent = await lentSession(world, 'mill')
    await lent.city.call('POST ~/sling/text', { body: { target: 'mayor', title: 'work' } })
    await lent.city.call('POST ~/mail', { body: { to: lent.session, subject: 'hello' } })
    await world.kill()
    const running = Promise.all(COMMANDS.map((args) => run(world, lent, args)))
    await Bun.sleep(500)
    await world.start()
    const ended = await running
    expect(ended.map(({ status, err }) => ({ status, err }))).toEqual(COMMANDS.map(() => ({ status: 0, err: '' })))
    expect(ended[0]?.out).toContain('"action":"work"')
    expect(ended[1]?.out).toContain('"has_unread":true')
    expect(ended[2]?.out).toContain('hello')
    expect((await titles(lent)).filter((title) => title === 'made in between')).toHaveLength(1)
  })

  test('waits for a city that cannot be loaded until a person has fixed it', async () => {
    await using world = await World.open()
    const lent = await lentSession(world, 'mill')
    await world.kill()
    const lock = Lock.acquire(`${lent.city.path}/.gc/lock`, 'a test')
    await world.start()
    const running = run(world, lent, ['hook', '--claim', '--json'])
    await Bun.sleep(500)
    lock.release()
    await world.call('POST /v0/city/register', { body: { path: lent.city.path } })
    await up(lent.city)
    expect(await running).toMatchObject({ status: 1, out: expect.stringContaining('"reason":"no_work"') })
  })

  test('is carried out once when the supervisor is gone before its response arrives', async () => {
    await using world = await World.open()
    const lent = await lentSession(world, 'mill')
    const proxy = await cuttingProxy(world)
    const env = { GC_HOME: world.folder.at('elsewhere'), GC_URL: proxy.url }
    try {
      const { id } = (await lent.city.call('POST ~/beads', { body: { title: 'to close' } })).body
      const commands = [
        ['bd', 'create', 'cut off', '--json'],
        ['sling', 'mayor', 'slung and cut off', '--json'],
        ['mail', 'send', 'human', '-s', 'sent and cut off', 'text'],
        ['hook', '--claim', '--json'],
        ['bd', 'comment', id, 'text'],
        ['bd', 'close', id],
      ]
      for (const args of commands) {
        proxy.cutNext()
        const { status, err } = await run(world, lent, args, env)
        expect({ args, status, err }).toEqual({ args, status: 0, err: '' })
      }
      expect(proxy.cuts).toBe(commands.length)
    } finally {
      proxy.stop()
    }
    const cut = (await titles(lent)).filter((title) => title.endsWith('cut off')).sort()
    expect(cut).toEqual(['cut off', 'sent and cut off', 'slung and cut off'])
  })

  test('is notified immediately that its token has ended, which is an order to stop', async () => {
    await using world = await World.open()
    const lent = await lentSession(world, 'mill')
    await lent.city.call(`POST ~/session/${lent.session}/close`)
    expect(await run(world, lent, ['hook', '--claim', '--json'])).toMatchObject({
      status: 1,
      out: expect.stringContaining('"reason":"stale_session"'),
    })
  })
})

/** Passes requests on; on demand it ends the connection when the response to the next POST comes. */
async function cuttingProxy(world: World) {
  const { port } = new URL(world.url)
  let isCutting = false
  let cuts = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1')
    let isPost = false
    client.on('data', (chunk) => {
      isPost = /^POST /.test(chunk.toString('latin1'))
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!isCutting || !isPost) {
        client.write(chunk)
        return
      }
      isCutting = false
      cuts++
      client.resetAndDestroy()
      upstream.destroy()
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('close', () => other.destroy())
      one.on('error', () => other.destroy())
    }
  })
  const ready = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', () => ready.resolve())
  await ready.promise
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    cutNext: () => {
      isCutting = true
    },
    get cuts() {
      return cuts
    },
    stop: () => void server.close(),
  }
}
