import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { route } from '../../src/http/route.ts'
import { paging } from '../../src/http/schema.ts'
import { serve } from './serve.ts'

const List = Type.Object({
  ...paging,
  all: Type.Optional(Type.Boolean()),
  rig: Type.Optional(Type.String()),
  ratio: Type.Optional(Type.Number()),
  order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
  label: Type.Optional(Type.Array(Type.String())),
})

const list = route('GET /v0/list', { id: 'get-list', summary: 'List', query: List, ok: Type.Any() }, (x) => x.query)
const find = route(
  'GET /v0/find',
  { id: 'get-find', summary: 'Find', query: Type.Object({ q: Type.String({ minLength: 2 }) }), ok: Type.Any() },
  (x) => x.query,
)
const wait = route(
  'GET ~/wait',
  { id: 'get-wait', summary: 'Wait', query: List, ok: Type.Any(), index: true, blocking: true },
  () => ({ answered: true }),
)

interface Problem {
  errors: { message: string; location: string; value?: unknown }[]
}

describe('a query string', () => {
  const fits: [string, unknown][] = [
    ['', { limit: 100 }],
    ['?limit=', { limit: 100 }],
    ['?limit=0', { limit: 0 }],
    ['?limit=%2B7', { limit: 7 }],
    ['?limit=1000&unknown=1&constructor=x', { limit: 1000 }],
    ['?rig=a%20b&rig=c', { limit: 100, rig: 'a b' }],
    ['?rig=', { limit: 100 }],
    ['?ratio=-1.5e3', { limit: 100, ratio: -1500 }],
    ['?order=desc', { limit: 100, order: 'desc' }],
    ['?label=a,b&label=c&label=', { limit: 100, label: ['a', 'b', 'c'] }],
    ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((word): [string, unknown] => [
      `?all=${word}`,
      { limit: 100, all: true },
    ]),
    ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word): [string, unknown] => [
      `?all=${word}`,
      { limit: 100, all: false },
    ]),
  ]
  test.each(fits)('%s is parsed', async (search, expected) => {
    await using server = serve({ routes: [list] })
    expect(await (await server.get(`/v0/list${search}`)).json()).toEqual(expected)
  })

  const invalid: [string, string, string, unknown][] = [
    ['?limit=many', 'query.limit', 'must be an integer', 'many'],
    ['?limit=1.5', 'query.limit', 'must be an integer', '1.5'],
    ['?limit=1e3', 'query.limit', 'must be an integer', '1e3'],
    ['?limit=-1', 'query.limit', 'must be at least 0', -1],
    ['?limit=1001', 'query.limit', 'must be at most 1000', 1001],
    ['?limit=99999999999999999999', 'query.limit', 'must be an integer', '99999999999999999999'],
    ['?all=yes', 'query.all', 'must be a boolean', 'yes'],
    ['?all=tRuE', 'query.all', 'must be a boolean', 'tRuE'],
    ['?ratio=NaN', 'query.ratio', 'must be a number', 'NaN'],
    ['?order=up', 'query.order', 'must be one of asc, desc', 'up'],
  ]
  test.each(invalid)('%s is rejected', async (search, location, message, value) => {
    await using server = serve({ routes: [list] })
    const response = await server.get(`/v0/list${search}`)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      code: 'validation-failed',
      detail: 'validation failed',
      errors: [{ location, message, value }],
    })
  })

  test('without a required parameter is rejected with the name of the parameter', async () => {
    await using server = serve({ routes: [find] })
    const { errors } = (await (await server.get('/v0/find?q=')).json()) as Problem
    expect(errors).toEqual([{ message: 'q is required', location: 'query.q' }])
  })
})

describe('a blocking query', () => {
  /** A city whose log is at index 10; a wait for a later event lasts until its `end` is called. */
  const city = () => {
    const waits: { index: number; ms: number; signal: AbortSignal; end: () => void }[] = []
    return {
      waits,
      index: () => 10,
      waitForEvent: (_: unknown, index: number, ms: number, signal: AbortSignal) =>
        index < 10
          ? Promise.resolve()
          : new Promise<void>((resolve) => waits.push({ index, ms, signal, end: resolve })),
    }
  }
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve))
  }

  test('answers immediately without an index or if there is a newer event', async () => {
    const { waits, ...options } = city()
    await using server = serve({ routes: [wait], ...options })
    for (const search of ['', '?index=9', '?index=0&wait=5m', '?wait=1s', '?index=']) {
      const response = await server.get(`/v0/city/c/wait${search}`)
      expect([response.status, response.headers.get('x-gc-index')]).toEqual([200, '10'])
    }
    expect(waits).toHaveLength(0)
  })

  test.each([
    ['?index=10', 30_000],
    ['?index=10&wait=1m30s', 90_000],
    ['?index=10&wait=500ms', 500],
    ['?index=10&wait=2h', 300_000],
    ['?index=18446744073709551615&wait=', 30_000],
  ])('%s waits %d ms', async (search, ms) => {
    const { waits, ...options } = city()
    await using server = serve({ routes: [wait], ...options })
    const pending = server.get(`/v0/city/c/wait${search}`)
    await until(() => waits.length > 0)
    expect(waits[0]?.ms).toBe(ms)
    waits[0]?.end()
    expect(await (await pending).json()).toEqual({ answered: true })
  })

  test.each([
    ['?index=x', 'query.index'],
    ['?index=-1', 'query.index'],
    ['?index=1.5', 'query.index'],
    ['?wait=0', 'query.wait'],
    ['?wait=0s', 'query.wait'],
    ['?wait=-3s', 'query.wait'],
    ['?wait=soon', 'query.wait'],
    ['?index=10&wait=30', 'query.wait'],
  ])('%s is rejected', async (search, location) => {
    const { waits, ...options } = city()
    await using server = serve({ routes: [wait], ...options })
    const response = await server.get(`/v0/city/c/wait${search}`)
    expect(response.status).toBe(422)
    expect(((await response.json()) as Problem).errors.map((error) => error.location)).toEqual([location])
    expect(waits).toHaveLength(0)
  })

  test('ends when its client disconnects', async () => {
    const { waits, ...options } = city()
    await using server = serve({ routes: [wait], ...options })
    const leave = new AbortController()
    const pending = server.ask('/v0/city/c/wait?index=10', { signal: leave.signal }).catch(() => 'left')
    await until(() => waits.length > 0)
    leave.abort()
    expect(await pending).toBe('left')
    await until(() => waits[0]?.signal.aborted === true)
    waits[0]?.end()
  })

  test('ends when the server stops', async () => {
    const { waits, ...options } = city()
    const server = serve({ routes: [wait], ...options })
    const pending = server.get('/v0/city/c/wait?index=10')
    await until(() => waits.length > 0)
    waits[0]?.signal.addEventListener('abort', () => waits[0]?.end())
    await server[Symbol.asyncDispose]()
    expect((await pending).status).toBe(200)
  })
})
