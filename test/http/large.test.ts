import { describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { Type } from '@sinclair/typebox'
import { Deadlines } from '../../src/core/deadlines.ts'
import { JsonRows } from '../../src/http/respond/rendered.ts'
import { ResponseBody } from '../../src/http/respond/response-body.ts'
import { ResponseBudget } from '../../src/http/respond/response-budget.ts'
import { ResponseWriter } from '../../src/http/respond/response-writer.ts'
import { route } from '../../src/http/route.ts'
import { listOf } from '../../src/http/schema.ts'
import { TestClock } from '../support/clock.ts'
import { until } from '../support/until.ts'
import { serve } from './serve.ts'

const MB = 1024 * 1024
/** More than the system's buffers of one connection take. */
const LARGE = 16 * MB
const Lamps = listOf(Type.String(), 'LampList')

/** Serves routes with little memory for large responses, and a clock that is moved by hand. */
function serveWithin(limit: number, routes: ReturnType<typeof route>[], options = {}) {
  const clock = new TestClock()
  const budget = new ResponseBudget({ deadlines: new Deadlines(clock, clock), limit, maxWaiting: 2 })
  const writer = new ResponseWriter({ deadlines: new Deadlines(clock, clock), budget })
  return Object.assign(serve({ routes, writer, ...options }), { budget, memoryClock: clock })
}

const text = (operation: `${'GET' | 'POST'} /v0/${string}`, size = LARGE) =>
  route(operation, { id: operation, summary: 'Show much', ok: Type.String() }, () => 'x'.repeat(size))

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
const json = async (response: Response): Promise<any> => response.json()

/** A client that asks and then reads nothing. */
function silent(url: string, path: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  return new Promise((resolve) => socket.once('connect', () => resolve(socket)))
}

describe('a large response', () => {
  test('arrives whole, with the status and headers of its operation', async () => {
    const create = route(
      'POST /v0/lamps',
      { id: 'create-lamp', summary: 'Make a lamp', ok: { 201: Type.String() } },
      ({ response }) => {
        response.headers['x-lamp'] = '1'
        return 'é'.repeat(MB)
      },
    )
    await using server = serveWithin(256 * MB, [create, text('GET /v0/text')])
    const created = await server.send('POST', '/v0/lamps')
    expect([created.status, created.headers.get('x-lamp')]).toEqual([201, '1'])
    expect(await created.json()).toBe('é'.repeat(MB))
    expect(await (await server.get('/v0/text')).json()).toBe('x'.repeat(LARGE))
    expect((await server.ask('/v0/text', { method: 'HEAD' })).status).toBe(200)
    await until(() => server.budget.used === 0)
  })

  test('lets go of a reader that takes nothing for half a minute, and of its memory', async () => {
    await using server = serveWithin(256 * MB, [text('GET /v0/text')])
    const socket = await silent(server.url, '/v0/text')
    const closed = Promise.withResolvers<void>()
    socket.once('close', closed.resolve)
    await until(() => server.budget.used > LARGE)
    await Bun.sleep(50)
    await server.memoryClock.advance(29_000)
    expect(server.budget.used).toBeGreaterThan(LARGE)
    await server.memoryClock.advance(1_000)
    expect(server.budget.used).toBe(0)
    socket.resume()
    await closed.promise
  }, 20_000)

  test('of one piece may have 64 MB, and is an error beyond that', async () => {
    await using server = serveWithin(256 * MB, [text('GET /v0/most', 64 * MB - 2), text('GET /v0/more', 64 * MB)])
    expect((await server.ask('/v0/most', { method: 'HEAD' })).status).toBe(200)
    const response = await server.get('/v0/more')
    expect([response.status, await json(response)]).toMatchObject([413, { code: 'response-too-large' }])
    await until(() => server.budget.used === 0)
  })

  test('frees its memory when its reader goes away', async () => {
    await using server = serveWithin(256 * MB, [text('GET /v0/text')])
    const socket = await silent(server.url, '/v0/text')
    await until(() => server.budget.used > LARGE)
    socket.destroy()
    await until(() => server.budget.used === 0)
  })
})

describe('the memory for large responses', () => {
  test('makes requests wait until there is room, while small ones are answered', async () => {
    let runs = 0
    const count = route('GET /v0/count', { id: 'count', summary: 'Count', ok: Type.String() }, () => {
      runs++
      return 'x'.repeat(LARGE)
    })
    await using server = serveWithin(LARGE + MB, [text('GET /v0/text'), count, text('GET /v0/small', 10)])
    const socket = await silent(server.url, '/v0/text')
    await until(() => server.budget.used > LARGE)
    const waiting = server.get('/v0/count')
    await until(() => runs === 1)
    expect((await server.get('/v0/small')).status).toBe(200)
    socket.destroy()
    expect((await json(await waiting)).length).toBe(LARGE)
    expect(runs).toBe(2)
  })

  test('rejects a request that finds no room in ten seconds, and those for which too many wait', async () => {
    await using server = serveWithin(LARGE + MB, [text('GET /v0/text'), text('GET /v0/other')])
    const socket = await silent(server.url, '/v0/text')
    await until(() => server.budget.used > LARGE)
    const waiting = [server.get('/v0/other'), server.get('/v0/other')]
    await until(() => server.budget.waiting === 2)
    const rejected = await server.get('/v0/other')
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '5'])
    await server.memoryClock.advance(10_000)
    const late = await Promise.all(waiting)
    expect(late.map(({ status }) => status)).toEqual([503, 503])
    expect(await late[0]?.json()).toMatchObject({
      code: 'service-unavailable',
      detail: 'too many large responses are being sent; try again in a few seconds',
    })
    socket.destroy()
  })
})

describe('a list that is written row by row', () => {
  const rows = (tail: (isComplete: boolean) => string) =>
    new JsonRows<string>({ head: '{"items":[', rows: Array(40).fill(`"${'x'.repeat(2 * MB)}"`), tail })

  test('ends at 64 MB and reports it', async () => {
    const lamps = route('GET /v0/lamps', { id: 'list-lamps', summary: 'List', ok: Lamps }, () => ({
      items: Array(40).fill('x'.repeat(2 * MB)),
      total: 40,
    }))
    await using server = serveWithin(256 * MB, [lamps])
    const list = await json(await server.get('/v0/lamps'))
    expect([list.items.length, list.total, list.partial]).toEqual([31, 40, true])
    expect(list.partial_errors).toEqual(['the list has more than 64 MB; its last items are left out'])
    await until(() => server.budget.used === 0)
  })

  test('is an error where a part is not an answer', async () => {
    const graph = route('GET /v0/graph', { id: 'get-graph', summary: 'Graph', ok: Type.Any() }, () =>
      rows((isComplete) => {
        if (!isComplete) throw new Error('too large')
        return ']}'
      }),
    )
    await using server = serveWithin(256 * MB, [graph])
    expect((await server.get('/v0/graph')).status).toBe(500)
    expect(server.budget.used).toBe(0)
  })

  test('holds the loop no longer than other requests can wait', async () => {
    let isLate = false
    const list = route(
      'GET /v0/list',
      { id: 'list', summary: 'List', ok: Type.Any() },
      () => new JsonRows({ head: '[', rows: slowRows(() => isLate), tail: () => ']' }),
    )
    await using server = serveWithin(256 * MB, [list, text('GET /v0/small', 10)])
    const pending = server.get('/v0/list')
    await server.get('/v0/small')
    isLate = true
    expect((await json(await pending)).length).toBeGreaterThan(1)
  })

  /** Rows without end until somebody else was answered. */
  function* slowRows(isDone: () => boolean): Generator<string> {
    while (!isDone()) {
      const end = performance.now() + 1
      while (performance.now() < end);
      yield JSON.stringify('x'.repeat(70_000))
    }
  }
})

describe('readers that wait for the same', () => {
  const waits: (() => void)[] = []
  const options = {
    index: () => 7,
    waitForEvent: () => new Promise<void>((resolve) => void waits.push(resolve)),
  }

  test('are sent one answer, rendered after the last of them was woken', async () => {
    let runs = 0
    const list = route(
      'GET ~/lamps',
      {
        id: 'list-lamps',
        summary: 'List',
        query: Type.Object({ of: Type.Optional(Type.String()) }),
        ok: Type.Object({ run: Type.Integer(), text: Type.String() }),
        index: true,
        blocking: true,
      },
      () => ({ run: ++runs, text: 'x'.repeat(MB) }),
    )
    await using server = serveWithin(64 * MB, [list], options)
    const ask = (query: string) => server.get(`/v0/city/c/lamps?index=7${query}`)
    const readers = [...Array.from({ length: 20 }, () => ask('')), ask('&of=others')]
    await until(() => waits.length === 21)
    for (const wake of waits) wake()
    const answers = await Promise.all(readers.map(async (reader) => json(await reader)))
    expect(answers.map(({ run }) => run)).toEqual([...Array(20).fill(1), 2])
    expect((await readers[0])?.headers.get('x-gc-index')).toBe('7')
    await until(() => server.budget.used === 0)
  })
})

test('the body of a large response is sent in pieces of the same size, none of them larger than allowed', () => {
  const clock = new TestClock()
  const budget = new ResponseBudget({ deadlines: new Deadlines(clock, clock) })
  const body = ResponseBody.of('x'.repeat(1_000_001), budget.take(0))
  const pieces = [...body.pieces(300_000)]
  expect(pieces.map(({ length }) => length)).toEqual([250_001, 250_001, 250_001, 249_998])
  expect(Buffer.concat(pieces).toString()).toBe('x'.repeat(1_000_001))
})
