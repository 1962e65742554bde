import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { nextTick } from '../../src/core/event-loop.ts'
import type { createPlane as createSourcePlane, Plane } from '../../src/http/plane.ts'
import type { SocketData } from '../../src/http/plane-options.ts'
import { route } from '../../src/http/route.ts'
import { tempFolder } from '../support/folder.ts'
import { echo, missing, OPEN, SESSION, serve, Thing } from './serve.ts'

const agent = echo('GET ~/agent/{base}')
const rigAgent = echo('GET ~/agent/{dir}/{base}')
const output = echo('GET ~/agent/{base}/output')
const make = route(
  'POST ~/things',
  {
    id: 'create-thing',
    summary: 'Make a thing',
    ok: { 201: Thing, 202: Thing },
    body: Type.Object({ id: Type.String() }, { $id: 'ThingDraft', additionalProperties: false }),
    index: true,
  },
  ({ body, response: reply }) => {
    if (body.id === 'later') reply.status = 202
    reply.headers.location = `/v0/things/${body.id}`
    return { id: body.id }
  },
)
const drop = route('DELETE ~/thing/{id}', { id: 'delete-thing', summary: 'Drop a thing', ok: Thing }, (x) => ({
  id: x.params.id,
}))
const breaks = route('GET ~/breaks', { id: 'get-breaks', summary: 'Break', ok: Thing }, () => {
  throw new TypeError('the password is swordfish')
})
const breaksLater = route('GET ~/breaks-later', { id: 'get-breaks-later', summary: 'Break', ok: Thing }, async () => {
  throw new TypeError('the password is swordfish')
})

const code = async (response: Response): Promise<unknown> => ((await response.json()) as { code: string }).code

describe('a response that is available synchronously', () => {
  const answersOf = async (plane: Plane, paths: readonly string[]): Promise<unknown[]> => {
    const answers: unknown[] = []
    using front = Bun.serve<SocketData>({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request, from) {
        const answer = plane.fetch(request, from)
        answers.push(answer)
        return answer
      },
    })
    for (const path of paths) {
      const response = await fetch(new URL(path, front.url))
      expect(response.headers.get('x-gc-request-id')).toMatch(/^[0-9a-f]{16}$/)
    }
    return answers
  }

  test('is returned without a promise', async () => {
    await using server = serve({ routes: [agent, missing] })
    const answers = await answersOf(server.plane, ['/v0/city/c/agent/worker', '/v0/city/c/missing'])
    expect(answers).toEqual([expect.any(Response), expect.any(Response)])
  })

  test('is so when minified, where Elysia reads other sources of the hooks', async () => {
    using folder = tempFolder()
    const entrypoints = [Bun.fileURLToPath(new URL('../../src/http/plane.ts', import.meta.url))]
    await Bun.build({ entrypoints, minify: true, target: 'bun', outdir: folder.path })
    const { createPlane }: { createPlane: typeof createSourcePlane } = await import(folder.at('plane.js'))
    await using server = serve({ routes: [agent] })
    const { clock, deadlines } = server
    const info = { title: 'Test', version: '1', description: 'A minified plane.' }
    const guard = { ...OPEN, resolve: () => SESSION }
    const plane = createPlane({ info, routes: [agent, missing], guard, clock, deadlines, report: () => {} })
    const answers = await answersOf(plane, ['/v0/city/c/agent/worker', '/v0/city/c/missing'])
    expect(answers).toEqual([expect.any(Response), expect.any(Response)])
  })
})

test('only a long-running operation disables the connection timeout', async () => {
  const spec = { summary: 'Work', ok: Thing }
  const long = route('GET ~/long', { ...spec, id: 'get-long', longRunning: true }, async () => ({ id: 'a' }))
  const short = route('GET ~/short', { ...spec, id: 'get-short' }, async () => ({ id: 'a' }))
  await using server = serve({ routes: [long, short] })
  const timeouts: string[] = []
  using front = Bun.serve<SocketData>({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, from) {
      // A real idle timeout takes four minutes, so the calls that change it are recorded instead.
      const timeout = ({ url }: Request, seconds: number) => timeouts.push(`${new URL(url).pathname} ${seconds}`)
      return server.plane.fetch(request, Object.assign(Object.create(from), { timeout }))
    },
  })
  for (const path of ['/v0/city/c/long', '/v0/city/c/short']) await fetch(new URL(path, front.url))
  expect(timeouts).toEqual(['/v0/city/c/long 0'])
})

describe('paths', () => {
  test('decode parameters under their declared names, even where two paths name one segment differently', async () => {
    await using server = serve({ routes: [agent, rigAgent, output] })
    const params = async (path: string) => ((await (await server.get(path)).json()) as { params: unknown }).params
    expect(await params('/v0/city/bright%20lights/agent/mayor')).toEqual({ cityName: 'bright lights', base: 'mayor' })
    expect(await params('/v0/city/c/agent/rig/worker')).toEqual({ cityName: 'c', dir: 'rig', base: 'worker' })
    expect(await params('/v0/city/c/agent/worker/output')).toEqual({ cityName: 'c', base: 'worker' })
    expect(await params('/v0/city/c/agent/rig%2Fworker')).toEqual({ cityName: 'c', base: 'rig/worker' })
    expect(await params('/v0/city/c/agent/%C3%A9t%C3%A9%25?x=1')).toEqual({ cityName: 'c', base: 'été%' })
    expect(await params('/v0/city/c/agent/__proto__')).toEqual({ cityName: 'c', base: '__proto__' })
  })

  test.each(['%zz', '%', '%C3', '%FF%FE'])('that cannot be decoded (%s) are rejected', async (part) => {
    await using server = serve({ routes: [agent] })
    const response = await server.get(`/v0/city/c/agent/${part}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'invalid-request',
      detail: expect.stringContaining('does not decode'),
    })
  })

  test('may be declared only once', () => {
    const again = echo('GET ~/agent/{name}')
    expect(() => serve({ routes: [agent, again] })).toThrow(
      'two operations are declared at GET /v0/city/{cityName}/agent/{name}',
    )
  })

  test('with a blank city name are rejected', async () => {
    await using server = serve({ routes: [agent] })
    const response = await server.get('/v0/city/%20/agent/mayor')
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ errors: [{ location: 'path.cityName' }] })
  })

  test('that match no operation get a plain-text 404, distinct from a missing resource', async () => {
    await using server = serve({ routes: [agent] })
    for (const path of [
      '/v0',
      '/v0/nothing',
      '/v0/city/c',
      '/v0/city/c/agent/',
      '/v0/city//agent/x',
      '/health/',
      '/docs/x',
    ]) {
      const response = await server.get(path)
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        404,
        'text/plain; charset=utf-8',
      ])
      expect(response.headers.get('x-gc-request-id')).toMatch(/^[0-9a-f]{16}$/)
    }
  })

  test('with an unsupported method get a plain-text 405 that lists the allowed methods', async () => {
    await using server = serve({ routes: [agent, make, drop] })
    const post = await server.send('POST', '/v0/city/c/agent/x')
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const get = await server.get('/v0/city/c/things')
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
    expect(get.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const put = await server.send('PUT', '/docs')
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  test('answer HEAD like GET without the body', async () => {
    await using server = serve({ routes: [agent, missing] })
    const head = await server.ask('/v0/city/c/agent/x', { method: 'HEAD' })
    const get = await server.get('/v0/city/c/agent/x')
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    expect((await server.ask('/v0/city/c/missing', { method: 'HEAD' })).status).toBe(404)
  })

  test('outside the supervisor API go to the network app', async () => {
    await using server = serve({ routes: [agent] })
    for (const path of ['/', '/v0x', '/api/v1/posts', '/healthy', '/docsx']) {
      const response = await server.get(path)
      expect([response.status, await response.text()]).toEqual([404, 'there is nothing at this address\n'])
      expect(response.headers.get('x-gc-request-id')).toMatch(/^[0-9a-f]{16}$/)
    }
  })
})

describe('responses', () => {
  test('carry a unique request id, whatever the client sent', async () => {
    await using server = serve({ routes: [agent] })
    const ids = new Set<string | null>()
    for (let n = 0; n < 50; n++) {
      const response = await server.get('/v0/city/c/agent/x', { 'x-gc-request-id': 'mine' })
      const { id } = (await response.json()) as { id: string }
      expect(response.headers.get('x-gc-request-id')).toBe(id)
      ids.add(id)
    }
    expect(ids.size).toBe(50)
  })

  test('use the first declared status by default and apply what the handler sets', async () => {
    await using server = serve({ routes: [make], index: () => 77 })
    const made = await server.send('POST', '/v0/city/c/things', { id: 'a' })
    expect([made.status, made.headers.get('location')]).toEqual([201, '/v0/things/a'])
    const later = await server.send('POST', '/v0/city/c/things', { id: 'later' })
    expect(later.status).toBe(202)
  })

  test('carry index and cache age where declared, with index 0 if there is none', async () => {
    await using server = serve({ routes: [make, agent], index: ({ cityName }) => (cityName === 'c' ? 77 : undefined) })
    const indexed = await server.send('POST', '/v0/city/c/things', { id: 'a' })
    expect([indexed.headers.get('x-gc-index'), indexed.headers.get('x-gc-cache-age-s')]).toEqual(['77', '0'])
    const other = await server.send('POST', '/v0/city/d/things', { id: 'a' })
    expect(other.headers.get('x-gc-index')).toBe('0')
    const plain = await server.get('/v0/city/c/agent/x')
    expect([plain.headers.get('x-gc-index'), plain.headers.get('x-gc-cache-age-s')]).toEqual([null, null])
  })

  test('to errors are problem documents with the headers of the error', async () => {
    await using server = serve({ routes: [missing] })
    const response = await server.get('/v0/city/c/missing')
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('retry-after')).toBe('3')
    expect(await response.json()).toEqual({
      type: 'urn:gascity:error:bead-not-found',
      code: 'bead-not-found',
      title: 'Bead Not Found',
      status: 404,
      detail: 'bead mp-7 does not exist',
    })
  })

  test('to internal errors reveal nothing, and the error is logged with the request id', async () => {
    await using server = serve({ routes: [breaks, breaksLater] })
    for (const path of ['/v0/city/c/breaks', '/v0/city/c/breaks-later']) {
      const response = await server.get(path)
      const text = await response.text()
      expect(response.status).toBe(500)
      expect(text).not.toContain('swordfish')
      expect(JSON.parse(text)).toMatchObject({
        code: 'internal',
        title: 'Internal Server Error',
        detail: 'internal server error',
      })
      const failure = server.errors.pop()
      expect(failure).toMatchObject({ id: response.headers.get('x-gc-request-id'), method: 'GET', path })
      expect(String(failure?.error)).toContain('swordfish')
    }
  })
})

describe('the guard', () => {
  test('runs before body parsing, validation and routing', async () => {
    await using server = serve({ routes: [make] })
    const bad = await server.ask('/v0/city/c/things', { method: 'POST', body: 'not json' })
    expect([bad.status, await code(bad)]).toEqual([403, 'forbidden'])
    const nowhere = await server.ask('/v0/nowhere', { method: 'POST' })
    expect(nowhere.status).toBe(403)
    expect(await nowhere.json()).toMatchObject({ detail: 'csrf: X-GC-Request header required on mutation endpoints' })
  })

  test('rejects other hosts on every path', async () => {
    await using server = serve({ routes: [agent] })
    for (const path of ['/v0/city/c/agent/x', '/openapi.json', '/docs', '/v0/nothing']) {
      const response = await server.get(path, { host: 'evil.example' })
      expect([response.status, await code(response)]).toEqual([421, 'host-not-allowed'])
    }
  })

  test('admits a host name of one letter, and routes the request', async () => {
    await using server = serve({ routes: [agent], guard: { hosts: ['a'] } })
    const response = await server.get('/v0/city/c/agent/x', { host: 'a' })
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ params: { cityName: 'c', base: 'x' } }),
    ])
  })

  test('identifies the caller to handlers and rejects unknown tokens', async () => {
    await using server = serve({
      routes: [agent],
      guard: { resolve: (token) => (token === 'gcs_1' ? SESSION : undefined) },
    })
    const caller = async (headers: Record<string, string>) =>
      ((await (await server.get('/v0/city/c/agent/x', headers)).json()) as { caller: string }).caller
    expect(await caller({})).toBe('human')
    expect(await caller({ authorization: 'Bearer gcs_1' })).toBe('session')
    const unknown = await server.get('/v0/city/c/agent/x', { authorization: 'Bearer gcs_2' })
    expect([unknown.status, await code(unknown), unknown.headers.get('www-authenticate')]).toEqual([
      401,
      'unauthorized',
      'Bearer',
    ])
  })

  test('does not accept an upgrade header in place of a required token', async () => {
    await using server = serve({ routes: [agent], guard: { requireToken: true } })
    const response = await server.get('/v0/city/c/agent/x', { connection: 'upgrade', upgrade: 'websocket' })
    expect([response.status, await code(response)]).toEqual([401, 'unauthorized'])
  })

  test('answers CORS preflights from allowed origins with every header a client needs', async () => {
    await using server = serve({ routes: [make], guard: { origins: ['https://board.example'] } })
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1', 'https://[::1]:9', 'https://board.example']) {
      const response = await server.ask('/v0/city/c/things', { method: 'OPTIONS', headers: { origin } })
      expect([response.status, await response.text()]).toEqual([204, ''])
      expect(response.headers.get('access-control-allow-origin')).toBe(origin)
      expect(response.headers.get('access-control-allow-methods')).toContain('PATCH')
      expect(response.headers.get('access-control-allow-headers')).toMatch(
        /Authorization.*Idempotency-Key.*X-GC-Request/,
      )
      expect(response.headers.get('access-control-expose-headers')).toMatch(/X-GC-Index.*X-GC-Cache-Age-S/)
    }
  })

  test('lets no other origin read responses and varies them by Origin', async () => {
    await using server = serve({ routes: [agent] })
    const response = await server.get('/v0/city/c/agent/x', { origin: 'https://evil.example' })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('vary')).toBe('Origin')
    const near = await server.get('/v0/city/c/agent/x', { origin: 'http://localhost:1' })
    expect(near.headers.get('access-control-allow-origin')).toBe('http://localhost:1')
  })
})

describe('reads that take long', () => {
  test('are made one in a tick, and a quick one that comes after them is made before the second', async () => {
    const order: string[] = []
    const slow = route('GET /v0/slow', { id: 'slow', summary: 'Take long', ok: Thing }, () => {
      const end = performance.now() + 2
      while (performance.now() < end) order.length
      order.push('slow')
      return { id: 'slow' }
    })
    const quick = route('GET /v0/quick', { id: 'quick', summary: 'Take no time', ok: Thing }, () => {
      order.push('quick')
      return { id: 'quick' }
    })
    await using server = serve({ routes: [slow, quick] })
    using front = Bun.serve<SocketData>({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request, from) {
        const ask = (path: string) =>
          server.plane.fetch(new Request(new URL(path, request.url).href, { headers: request.headers }), from)
        for (const path of ['/v0/quick', '/v0/quick', '/v0/slow']) await ask(path)
        await nextTick()
        order.length = 0
        const answers = ['slow', 'slow', 'slow', 'quick'].map((path) => ask(`/v0/${path}`))
        await Promise.all([...answers, nextTick().then(() => order.push('tick'))])
        return new Response(order.join())
      },
    })
    const made = await (await fetch(front.url.href)).text()
    expect(made).toBe('quick,slow,slow,tick,slow')
  })

  test('that wait for others are sent with their head at once, and with the length of their text', async () => {
    const text = 'é'.repeat(20_000)
    const late = route('GET /v0/late', { id: 'late', summary: 'Answer late', ok: Type.String() }, async () => {
      await nextTick()
      return text
    })
    await using server = serve({ routes: [late] })
    const { hostname, port } = new URL(server.url)
    const chunks: Buffer[] = []
    const closed = Promise.withResolvers<void>()
    const data = (_: unknown, chunk: Buffer) => void chunks.push(Buffer.from(chunk))
    const socket = await Bun.connect({ hostname, port: Number(port), socket: { data, close: () => closed.resolve() } })
    socket.write('GET /v0/late HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    await closed.promise
    const [head = '', body] = Buffer.concat(chunks).toString().split('\r\n\r\n')
    expect(chunks[0]?.toString()).toContain('\r\n\r\n')
    expect(head).toContain(`Content-Length: ${2 * text.length + 2}`)
    expect(head).not.toMatch(/transfer-encoding/i)
    expect(body).toBe(JSON.stringify(text))
    const [get, headOnly] = await Promise.all(['GET', 'HEAD'].map((method) => server.ask('/v0/late', { method })))
    const named = ({ headers }: Response) =>
      Object.entries(headers.toJSON()).filter(([name]) => !['date', 'x-gc-request-id'].includes(name))
    expect(named(get ?? new Response())).toEqual(named(headOnly ?? new Response()))
  })
})
