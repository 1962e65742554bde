import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import type { Answer, TestCity } from '../support/world.ts'
import { World } from '../support/world.ts'
import { declare, startSession } from './town.ts'

const up = async (city: TestCity): Promise<void> => {
  while ((await city.call('GET ~')).status === 404) await Bun.sleep(10)
}

describe('a request with an Idempotency-Key', () => {
  test('has no effect when it is repeated after a crash, and gets the same response', async () => {
    await using world = await World.open()
    const city = await world.city()
    await declare(city, 'clerk')
    const clerk = await startSession(city, 'clerk')
    const bead = (await city.call('POST ~/beads', { body: { title: 'a' } })).body.id
    const mail = (await city.call('POST ~/mail', { body: { to: 'human', subject: 'a' } })).body.id
    const requests: Record<string, object> = {
      'POST ~/beads': { title: 'b' },
      'POST ~/beads/bulk': { beads: [{ title: 'b' }] },
      [`POST ~/bead/${bead}/comments`]: { text: 'b' },
      'POST ~/convoys': { title: 'c', items: [bead] },
      'POST ~/mail': { to: 'clerk', subject: 'd' },
      [`POST ~/mail/${mail}/reply`]: { body: 'e' },
      'POST ~/waits': { session: clerk.id, on_beads: [bead] },
      'POST ~/events': { type: 'f.happened', actor: 'me' },
      'POST ~/agents': { name: 'g', provider: 'amp' },
      'POST ~/agents/declare': { name: 'i', provider: 'amp' },
      'POST ~/rigs': { name: 'h', path: world.rigFolder('h') },
    }
    const send = (operation: string, body: object, headers = { 'Idempotency-Key': 'same' }): Promise<Answer> =>
      city.call(operation, { body, headers })
    const first = await Promise.all(Object.entries(requests).map(([operation, body]) => send(operation, body)))
    expect(first.map(({ status }) => status)).toEqual(first.map(() => 201))
    await world.kill()
    await world.start()
    await up(city)
    const seq = await city.head()
    for (const [at, [operation, body]] of Object.entries(requests).entries()) {
      const again = await send(operation, body)
      expect([operation, again.status, again.body]).toEqual([operation, 201, first[at]?.body])
    }
    const done = (await city.recorded(seq)).map(({ type }) => type)
    expect(done.filter((type) => /^(bead.c|convoy|mail|f|rig)/.test(type))).toEqual([])
    const other = await send('POST ~/beads', { title: 'z' })
    expect([other.status, other.body.code]).toEqual([422, 'idempotency-mismatch'])
  }, 30_000)

  test('creates one session, sends one message and slings one bead, also when it is repeated after a crash', async () => {
    await using world = await World.open()
    const city = await world.city()
    await declare(city, 'clerk', {}, { max_active_sessions: 3 })
    const clerk = await startSession(city, 'clerk')
    const requests: [operation: string, body: object, status: number][] = [
      ['POST ~/sessions', { kind: 'agent', name: 'clerk', alias: 'second' }, 202],
      [`POST ~/session/${clerk.id}/messages`, { message: 'a' }, 202],
      [`POST ~/session/${clerk.id}/submit`, { message: 'b' }, 202],
      ['POST ~/sling/text', { target: 'clerk', title: 'slung' }, 200],
    ]
    const send = async () => {
      const headers = { 'Idempotency-Key': 'same' }
      const answers = await Promise.all(requests.map(([operation, body]) => city.call(operation, { body, headers })))
      return answers.map(({ status, body }) => ({ status, body }))
    }
    const first = await send()
    expect(first.map(({ status }) => status)).toEqual(requests.map(([, , status]) => status))
    await world.kill()
    await world.start()
    await up(city)
    expect(await send()).toEqual(first)
    const { items } = (await city.call('GET ~/beads?limit=1000')).body
    expect(items.filter(({ title }: { title: string }) => title === 'slung')).toHaveLength(1)
    const sessions = (await city.call('GET ~/sessions?state=all')).body.items
    expect(sessions.filter(({ alias }: { alias: string }) => alias === 'second')).toHaveLength(1)
  }, 30_000)

  test('has no effect when it is repeated, however many requests others have sent since', async () => {
    await using world = await World.open()
    const city = await world.city()
    await declare(city, 'clerk')
    const { token } = await startSession(city, 'clerk')
    const create = () => city.call('POST ~/beads', { body: { title: 'b' }, headers: { 'Idempotency-Key': 'once' } })
    const first = await create()
    for (let n = 0; n < 1100; n++) {
      const body = { type: 'f.happened', actor: 'clerk' }
      const sent = await city.call('POST ~/events', { body, token, headers: { 'Idempotency-Key': `${n}` } })
      expect(sent.status).toBe(201)
    }
    expect((await create()).body.id).toBe(first.body.id)
  }, 30_000)

  test('that was interrupted by a crash was carried out completely or not at all, and can be repeated', async () => {
    await using world = await World.open()
    const city = await world.city()
    const send = (n: number) =>
      city.call('POST ~/beads', { body: { title: `${n}` }, headers: { 'Idempotency-Key': `${n}` } })
    const cut = Array.from({ length: 40 }, (_, n) =>
      send(n).then(
        ({ body }) => body.id as string,
        () => undefined,
      ),
    )
    await Promise.race(cut)
    await world.kill()
    const answered = await Promise.all(cut)
    await world.start()
    await up(city)
    const again = await Promise.all(Array.from({ length: 40 }, (_, n) => send(n)))
    expect(again.map(({ status }) => status)).toEqual(again.map(() => 201))
    for (const [n, id] of answered.entries()) if (id) expect(again[n]?.body.id).toBe(id)
    const { body } = await city.call('GET ~/beads?type=task&limit=1000')
    expect(body.items.map(({ title }: { title: string }) => title).toSorted()).toEqual(
      Array.from({ length: 40 }, (_, n) => `${n}`).toSorted(),
    )
  }, 30_000)

  test('creates one city, also after a crash', async () => {
    await using world = await World.open()
    const body = { dir: world.folder.at('alpha'), start_command: 'true' }
    const make = () => world.call('POST /v0/city', { body, headers: { 'Idempotency-Key': 'city' } })
    const first = await make()
    expect(first.status).toBe(202)
    await world.kill()
    await world.start()
    const again = await make()
    expect([again.status, again.body]).toEqual([202, first.body])
    expect(existsSync(world.folder.at('alpha', 'city.toml'))).toBe(true)
    expect((await world.call('GET /v0/cities')).body.total).toBe(1)
  })

  test('that writes a file gets the response of a completed request, wherever a crash interrupted it', async () => {
    await using world = await World.open()
    const city = await world.city()
    const send = (n: number) => {
      const headers = { 'Idempotency-Key': `${n}` }
      if (n % 2 === 0) return city.call('POST ~/agents', { body: { name: `a${n}`, provider: 'amp' }, headers })
      return city.call('POST ~/rigs', { body: { name: `r${n}`, path: world.rigFolder(`r${n}`) }, headers })
    }
    for (const round of [0, 1, 2]) {
      const all = Array.from({ length: 6 }, (_, n) => round * 6 + n)
      const cut = all.map((n) => send(n).catch(() => undefined))
      await Promise.race(cut.slice(round))
      await world.kill()
      await Promise.all(cut)
      await world.start()
      await up(city)
      const again = await Promise.all(all.map(send))
      expect(again.map(({ status, body }) => [status, body.status])).toEqual(all.map(() => [201, 'created']))
    }
    const { body: agents } = await city.call('GET ~/agents')
    const { body: rigs } = await city.call('GET ~/rigs')
    expect([agents.total, rigs.total]).toEqual([9, 9])
  }, 60_000)
})
