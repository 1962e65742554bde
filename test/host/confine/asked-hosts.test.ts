import { describe, expect, test } from 'bun:test'
import { eventually } from '../../support/until.ts'
import { ProxyWorld, Upstream } from './proxy-world.ts'

const status = (answer: string) => Number(answer.split(' ', 2)[1])
const pong = () => Upstream.open('pong', (text) => text === 'ping')
const connectTo = (world: ProxyWorld, port: number, host = '127.0.0.1') =>
  world.send([`CONNECT ${host}:${port} HTTP/1.1`], 'ping')
const asked = (world: ProxyWorld) => eventually('a person is asked', 5_000, async () => world.proxy.asked, Boolean)
/** Names that lead nowhere, so that nothing is connected to. */
const nowhere = async () => []

describe('a session whose unknown hosts people are asked about', () => {
  test('waits with a connection until a person allows it this time, and asks again for the next', async () => {
    using upstream = await pong()
    using world = new ProxyWorld({ asks: true })
    const answer = connectTo(world, upstream.port)
    expect(await asked(world)).toMatchObject({ host: '127.0.0.1', port: upstream.port, others: 0 })
    expect(upstream.connections).toBe(0)
    expect(world.proxy.answer('127.0.0.1', upstream.port, 'once')).toBe(true)
    expect(await answer).toEndWith('pong')
    expect(world.proxy.asked).toBeUndefined()
    const again = connectTo(world, upstream.port)
    await asked(world)
    expect(world.proxy.answer('127.0.0.1', upstream.port, 'no')).toBe(true)
    expect(await again).toContain(`gc: 127.0.0.1:${upstream.port} was denied: allow 127.0.0.1`)
    expect(upstream.connections).toBe(1)
    expect(world.denied).toEqual([`127.0.0.1:${upstream.port}`])
  })

  test('asks no one again for a host that a person has said all of', async () => {
    using upstream = await pong()
    using other = await pong()
    using world = new ProxyWorld({ asks: true })
    const answers = [connectTo(world, upstream.port), connectTo(world, other.port)]
    await eventually(
      'both are asked for',
      5_000,
      async () => world.proxy.asked?.others,
      (others) => others === 1,
    )
    world.proxy.answer('127.0.0.1', upstream.port, 'session')
    world.proxy.answer('127.0.0.1', other.port, 'no')
    expect((await Promise.all(answers)).map(status)).toEqual([200, 403])
    expect(status(await connectTo(world, upstream.port))).toBe(200)
    expect(status(await connectTo(world, other.port))).toBe(403)
    expect(world.proxy.asked).toBeUndefined()
  })

  test('is refused with a sentence when no one answers in time; an answer that comes later counts for the next', async () => {
    using upstream = await pong()
    using world = new ProxyWorld({ asks: true }, { patience: 20 })
    expect(await connectTo(world, upstream.port)).toContain(
      `gc: 127.0.0.1:${upstream.port} is on no list, and the person who is asked has not answered yet; try again later`,
    )
    expect(world.proxy.asked).toMatchObject({ port: upstream.port })
    world.proxy.answer('127.0.0.1', upstream.port, 'once')
    expect(status(await connectTo(world, upstream.port))).toBe(200)
    expect(status(await connectTo(world, upstream.port))).toBe(403)
    expect(upstream.connections).toBe(1)
  })

  test('that asks for a thousand hosts is one question with their number, which one answer ends', async () => {
    using world = new ProxyWorld({ asks: true }, { patience: 20, resolve: nowhere })
    const answers: string[] = []
    for (let batch = 0; batch < 10; batch++) {
      const hosts = Array.from({ length: 100 }, (_, n) => `h${batch * 100 + n}.example`)
      answers.push(...(await Promise.all(hosts.map((host) => connectTo(world, 443, host)))))
    }
    expect(new Set(answers.map(status))).toEqual(new Set([403]))
    expect(answers.at(-1)).toContain('too many other hosts already wait for an answer')
    expect(world.proxy.asked).toMatchObject({ host: 'h0.example', others: 999 })
    world.proxy.answer('h0.example', 443, 'none')
    expect(world.proxy.asked).toBeUndefined()
    expect(world.asked.at(-1)).toBeUndefined()
    expect(await connectTo(world, 443, 'h1000.example')).toContain('was denied')
    expect(world.proxy.asked).toBeUndefined()
  })

  test('asks no one for what no one may allow, nor for a name of this machine once its name is allowed', async () => {
    using upstream = await pong()
    const inside = async () => ['127.0.0.1']
    using world = new ProxyWorld({ asks: true }, { resolve: inside })
    expect(status(await connectTo(world, 80, '169.254.169.254'))).toBe(403)
    expect(world.asked).toEqual([])
    const answer = connectTo(world, upstream.port, 'inside.example')
    await asked(world)
    world.proxy.answer('inside.example', upstream.port, 'session')
    expect(await answer).toContain('inside.example is 127.0.0.1, an address of this machine or its network')
    expect(upstream.connections).toBe(0)
  })

  test('takes no answer about a host that it does not ask for, and refuses what waits when it is over', async () => {
    using world = new ProxyWorld({ asks: true }, { resolve: nowhere })
    expect(world.proxy.answer('other.example', 443, 'session')).toBe(false)
    const waiting = connectTo(world, 443, 'a.example')
    await asked(world)
    expect(world.proxy.answer('a.example', 80, 'session')).toBe(false)
    world.proxy.close()
    expect(world.proxy.asked).toBeUndefined()
    expect(['', '403']).toContain((await waiting).split(' ', 2)[1] ?? '')
  })

  test('is not asked about where its lists alone count', async () => {
    using world = new ProxyWorld({}, { resolve: nowhere })
    expect(await connectTo(world, 443, 'a.example')).toContain('gc: a.example:443 is not allowed')
    expect(world.asked).toEqual([])
  })
})
