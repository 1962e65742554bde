import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { AppError } from '../../src/core/errors.ts'
import { Replays } from '../../src/core/replays/replays.ts'
import { query } from '../../src/core/store/index.ts'
import { actorOf } from '../../src/http/actor-of.ts'
import { route } from '../../src/http/route.ts'
import { SESSION, serve } from './serve.ts'

const Draft = Type.Object(
  {
    title: Type.String(),
    labels: Type.Optional(Type.Array(Type.String())),
    n: Type.Optional(Type.Integer()),
    done: Type.Optional(Type.Boolean()),
  },
  { $id: 'Draft', additionalProperties: false },
)

/** An operation that counts its runs and calls `before` at the start of each. */
function counting(before: (title: string) => unknown = () => undefined) {
  let runs = 0
  const create = route(
    'POST ~/things',
    {
      id: 'create-thing',
      summary: 'Make a thing',
      body: Draft,
      ok: { 201: Type.Any() },
      index: true,
    },
    async ({ body, response: reply }) => {
      await before(body.title)
      reply.headers.location = `/things/${++runs}`
      return { run: runs, title: body.title }
    },
  )
  return { routes: [create], index: () => runs, guard: { resolve: () => SESSION } }
}

const DAY = 24 * 60 * 60_000

/** The only UUIDv7 of a millisecond here. */
const uuidAt = (ms: number): string => {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

const PATH = '/v0/city/c/things'
const key = (value: string) => ({ 'idempotency-key': value })

describe('a repeated request with an Idempotency-Key', () => {
  test('gets the first response and its headers without running again', async () => {
    await using server = serve(counting())
    const first = await server.send('POST', PATH, { title: 'a' }, key('k'))
    const again = await server.send('POST', PATH, { title: 'a' }, key('k'))
    expect([again.status, await again.json()]).toEqual([201, { run: 1, title: 'a' }])
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    expect(again.headers.get('x-gc-request-id')).not.toBe(first.headers.get('x-gc-request-id'))
  })

  test('carries the current index', async () => {
    await using server = serve(counting())
    await server.send('POST', PATH, { title: 'a' }, key('k'))
    await server.send('POST', PATH, { title: 'b' })
    expect((await server.send('POST', PATH, { title: 'a' }, key('k'))).headers.get('x-gc-index')).toBe('2')
  })

  test('may format its body differently', async () => {
    await using server = serve(counting())
    await server.send('POST', PATH, { title: 'a', n: 1 }, key('k'))
    const again = await server.send('POST', PATH, ' {"n": 1, "labels": [], "title": "a"}', key('k'))
    expect(await again.json()).toMatchObject({ run: 1 })
  })

  test('with another body is rejected', async () => {
    await using server = serve(counting())
    await server.send('POST', PATH, { title: 'a' }, key('k'))
    const other = await server.send('POST', PATH, { title: 'b' }, key('k'))
    expect(other.status).toBe(422)
    expect(await other.json()).toMatchObject({
      code: 'idempotency-mismatch',
      detail: expect.stringMatching(/^idempotency_mismatch:/),
    })
  })

  test('conflicts while the first is in flight, and with another body is rejected as a mismatch', async () => {
    let arrived = () => {}
    let go = () => {}
    const under = new Promise<void>((resolve) => (arrived = resolve))
    const gate = new Promise<void>((resolve) => (go = resolve))
    await using server = serve(
      counting(() => {
        arrived()
        return gate
      }),
    )
    const first = server.send('POST', PATH, { title: 'a' }, key('k'))
    await under
    const same = await server.send('POST', PATH, { title: 'a' }, key('k'))
    expect([same.status, await same.json()]).toMatchObject([409, { code: 'idempotency-in-flight' }])
    expect((await server.send('POST', PATH, { title: 'b' }, key('k'))).status).toBe(422)
    go()
    expect((await first).status).toBe(201)
  })

  test('runs if the first one failed', async () => {
    let fails = true
    await using server = serve(
      counting(() => {
        if (fails) throw new AppError('conflict-wrong-state', 'conflict: not now', { status: 409 })
      }),
    )
    expect((await server.send('POST', PATH, { title: 'a' }, key('k'))).status).toBe(409)
    fails = false
    expect((await server.send('POST', PATH, { title: 'a' }, key('k'))).status).toBe(201)
  })

  test('runs under another key, path or caller, or without a key', async () => {
    await using server = serve(counting())
    const run = async (path: string, headers: Record<string, string>) =>
      ((await (await server.send('POST', path, { title: 'a' }, headers)).json()) as { run: number }).run
    expect(await run(PATH, key('k'))).toBe(1)
    expect(await run(PATH, key('other'))).toBe(2)
    expect(await run('/v0/city/d/things', key('k'))).toBe(3)
    expect(await run(PATH, { ...key('k'), authorization: 'Bearer gcs_1' })).toBe(4)
    expect(await run(PATH, key(''))).toBe(5)
    expect(await run(PATH, {})).toBe(6)
    expect(await run(PATH, key('k'))).toBe(1)
  })

  test('gets the response saved in the write of the operation, even if the handler failed afterwards', async () => {
    let fails = false
    const table = 'CREATE TABLE IF NOT EXISTS things (title TEXT NOT NULL)'
    const createThing = route(
      'POST ~/things',
      { id: 'create-thing', summary: 'x', body: Draft, ok: { 201: Type.Any() } },
      async ({ body, caller }) => {
        const made = await server.store.write((tx) => {
          tx.orm.run(table)
          tx.orm.run(`INSERT INTO things VALUES ('${body.title}')`)
          return { made: body.title }
        }, actorOf(caller))
        if (fails) throw new Error('after the write')
        return made
      },
    )
    await using server = serve({ routes: [createThing] })
    const create = async (title: string) => (await server.send('POST', PATH, { title }, key(`k ${title}`))).status
    const made = () => server.store.all(query<{ title: string }>('SELECT title FROM things'))
    fails = true
    expect([await create('a'), server.errors.length]).toEqual([500, 1])
    fails = false
    expect(await create('a')).toBe(201)
    expect(made()).toEqual([{ title: 'a' }])
    expect([await create('b'), await create('b')]).toEqual([201, 201])
    expect(made()).toHaveLength(2)
  })

  test('is answered for a day, whatever many others are sent, and then runs again', async () => {
    await using server = serve(counting())
    const run = async (name: string) =>
      ((await (await server.send('POST', PATH, { title: 'a' }, key(name))).json()) as { run: number }).run
    expect(await run('k')).toBe(1)
    await server.clock.advance(DAY - 1)
    for (let n = 2; n <= 200; n++) expect(await run(`other ${n}`)).toBe(n)
    expect(await run('k')).toBe(1)
    await server.clock.advance(2)
    for (let n = 201; n <= 300; n++) await run(`other ${n}`)
    expect(await run('k')).toBe(301)
  })

  test('is rejected under a UUIDv7 that is not newer than one that was dropped, and runs under a newer one', async () => {
    await using server = serve(counting())
    const send = (name: string) => server.send('POST', PATH, { title: 'a' }, key(name))
    const at = server.clock.now()
    const [old, dropped, later] = [uuidAt(at - 2), uuidAt(at - 1), uuidAt(at)]
    expect((await send(dropped)).status).toBe(201)
    await server.clock.advance(DAY + 1)
    for (let n = 0; n < 64; n++) await send(`${n}`)
    for (const name of [old, dropped]) {
      const response = await send(name)
      expect([response.status, await response.json()]).toMatchObject([409, { code: 'idempotency-expired' }])
    }
    expect((await send(later)).status).toBe(201)
    expect((await send('no date')).status).toBe(201)
  })

  test('under a key dated far ahead is answered, and leaves the keys of others as good as they were', async () => {
    await using server = serve(counting())
    const send = (name: string) => server.send('POST', PATH, { title: 'a' }, key(name))
    const ahead = uuidAt(server.clock.now() + 365 * DAY)
    const first = await (await send(ahead)).json()
    expect(await (await send(ahead)).json()).toEqual(first)
    await server.clock.advance(DAY + 1)
    for (let n = 0; n < 64; n++) await send(`${n}`)
    expect((await send(uuidAt(server.clock.now() - 1))).status).toBe(201)
  })

  test('is forgotten in the order of the keys once the answers take too much room', async () => {
    await using first = serve(counting())
    const replays = new Replays(first.store, first.clock, 64 * 1024)
    await using server = serve({ ...counting(), replays: () => replays })
    const send = (ms: number) => server.send('POST', PATH, { title: 'x'.repeat(1000) }, key(uuidAt(NOW + ms)))
    const NOW = server.clock.now()
    for (const ms of [...Array(300).keys()].toReversed()) expect((await send(-ms)).status).toBe(201)
    expect((await send(-299)).status).toBe(409)
    expect((await send(0)).status).toBe(201)
    const size = 'SELECT sum(octet_length(body)) AS bytes, count(*) AS rows FROM replays'
    const { bytes = 0, rows = 0 } = first.store.get(query<{ bytes: number; rows: number }>(size)) ?? {}
    expect(bytes).toBeLessThan(64 * 1024)
    expect(rows).toBeGreaterThan(0)
  })

  test('gets the first response whatever many requests another caller has sent since', async () => {
    await using server = serve(counting())
    const headers = { authorization: 'Bearer gcs_1' }
    const run = async (name: string, more = {}) =>
      (await server.send('POST', PATH, { title: 'a' }, { ...key(name), ...more })).json()
    const first = await run('k', headers)
    for (let n = 0; n < 1100; n++) await run(`other ${n}`)
    expect(await run('k', headers)).toEqual(first)
  })

  test.each([
    [{ n: 0 }, {}],
    [{ done: false }, {}],
    [{ done: false }, { done: true }],
    [{ n: 0 }, { n: 1 }],
  ])('with %j instead of %j in its body is rejected', async (one, other) => {
    await using server = serve(counting())
    await server.send('POST', PATH, { title: 'a', ...one }, key('k'))
    expect((await server.send('POST', PATH, { title: 'a', ...other }, key('k'))).status).toBe(422)
  })
})

/** An operation that sets a mark outside the store and conflicts if the mark exists; `work` runs once the attempt began. */
function marking(work: (mark: () => void) => unknown) {
  const marks = new Set<string>()
  const create = route(
    'POST ~/things',
    {
      id: 'create-thing',
      summary: 'Make a thing',
      body: Draft,
      ok: { 201: Type.Any() },
      errors: ['conflict-wrong-state'],
    },
    async ({ body: { title }, caller: { request } }) => {
      if (request?.isRetry && marks.has(title)) return { title }
      if (marks.has(title)) throw new AppError('conflict-wrong-state', 'it is there')
      await request?.begin()
      await work(() => marks.add(title))
      return { title }
    },
  )
  return { routes: [create], guard: { resolve: () => SESSION } }
}

describe('a request with an Idempotency-Key whose work happens outside the store', () => {
  const cut = async (mark: boolean) => {
    const begun = Promise.withResolvers<void>()
    const hung = marking((put) => {
      if (mark) put()
      begun.resolve()
      return attempts++ === 0 ? new Promise(() => {}) : put()
    })
    let attempts = 0
    const server = serve(hung)
    void server.send('POST', PATH, { title: 'a' }, key('k')).catch(() => {})
    await begun.promise
    return { server, again: serve({ ...hung, replays: () => new Replays(server.store, server.clock) }) }
  }

  test('succeeds on retry if it was interrupted after its work was done', async () => {
    const { server, again } = await cut(true)
    await using _ = server
    await using after = again
    const retried = await after.send('POST', PATH, { title: 'a' }, key('k'))
    expect([retried.status, await retried.json()]).toEqual([201, { title: 'a' }])
    expect((await after.send('POST', PATH, { title: 'a' }, key('other'))).status).toBe(409)
    expect((await after.send('POST', PATH, { title: 'b' }, key('k'))).status).toBe(422)
    expect((await after.send('POST', PATH, { title: 'a' }, key('k'))).status).toBe(201)
  })

  test('runs again if it was interrupted before its work was done', async () => {
    const { server, again } = await cut(false)
    await using _ = server
    await using after = again
    expect((await after.send('POST', PATH, { title: 'a' }, key('k'))).status).toBe(201)
    expect((await after.send('POST', PATH, { title: 'a' }, key('other'))).status).toBe(409)
  })

  test('is not treated as a retry if the first one failed', async () => {
    let fails = true
    await using server = serve(
      marking((put) => {
        put()
        if (fails) throw new AppError('conflict-wrong-state', 'no room')
      }),
    )
    fails = true
    expect((await server.send('POST', PATH, { title: 'a' }, key('k'))).status).toBe(409)
    fails = false
    expect((await server.send('POST', PATH, { title: 'a' }, key('k'))).status).toBe(409)
    expect((await server.send('POST', PATH, { title: 'b' }, key('k'))).status).toBe(201)
  })
})
