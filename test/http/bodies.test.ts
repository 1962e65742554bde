import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { Type } from '@sinclair/typebox'
import { route } from '../../src/http/route.ts'
import { nullable } from '../../src/http/schema.ts'
import { serve } from './serve.ts'

const Draft = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: 20 }),
    count: Type.Optional(Type.Integer({ minimum: 0 })),
    done: Type.Optional(Type.Boolean()),
    labels: Type.Optional(Type.Array(Type.String())),
    parent: Type.Optional(nullable(Type.String({ minLength: 2 }))),
    env: Type.Optional(Type.Record(Type.String(), Type.String())),
    mode: Type.Optional(Type.Union([Type.Literal('fast'), Type.Literal('slow')])),
    inner: Type.Optional(Type.Object({ a: Type.Optional(Type.String()) }, { additionalProperties: false })),
    due: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { $id: 'Draft', additionalProperties: false },
)

const routes = [
  route('POST /v0/drafts', { id: 'create-draft', summary: 'Show a body', body: Draft, ok: Type.Any() }, (x) => ({
    got: x.body,
  })),
  route(
    'POST /v0/perhaps',
    { id: 'create-perhaps', summary: 'Show a body', body: Type.Optional(Draft), ok: Type.Any() },
    (x) => ({ got: x.body ?? 'nothing' }),
  ),
  route('PUT /v0/bytes', { id: 'put-bytes', summary: 'Count bytes', body: Type.Uint8Array(), ok: Type.Any() }, (x) => ({
    length: x.body.length,
  })),
  route('POST /v0/bare', { id: 'post-bare', summary: 'Take none', ok: Type.Any() }, (x) => ({
    got: x.body ?? 'nothing',
  })),
]

const LIMIT = 1024 * 1024

interface Problem {
  code: string
  detail: string
  errors?: { message: string; location: string; value?: unknown }[]
}

const problem = async (response: Response): Promise<Problem> => (await response.json()) as Problem

describe('a body', () => {
  test.each([
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/merge-patch+json',
  ])('with content type %s is parsed as JSON', async (type) => {
    await using server = serve({ routes })
    const body = new TextEncoder().encode('{"title":"été"}')
    const headers = { 'x-gc-request': '1', ...(type ? { 'content-type': type } : {}) }
    const response = await server.ask('/v0/drafts', { method: 'POST', headers, body })
    expect(await response.json()).toEqual({ got: { title: 'été' } })
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ])('with content type %s is rejected', async (type) => {
    await using server = serve({ routes })
    const response = await server.send('POST', '/v0/drafts', '{"title":"a"}', { 'content-type': type })
    expect([response.status, (await problem(response)).code]).toEqual([415, 'validation-failed'])
  })

  test('that is required but missing is rejected', async () => {
    await using server = serve({ routes })
    for (const body of [undefined, '']) {
      const response = await server.send('POST', '/v0/drafts', body)
      expect([response.status, (await problem(response)).detail]).toEqual([400, 'request body is required'])
    }
  })

  test('that is optional may be missing', async () => {
    await using server = serve({ routes })
    expect(await (await server.send('POST', '/v0/perhaps')).json()).toEqual({ got: 'nothing' })
    expect(await (await server.send('POST', '/v0/perhaps', { title: 'a' })).json()).toEqual({ got: { title: 'a' } })
    expect((await server.send('POST', '/v0/perhaps', {})).status).toBe(422)
  })

  test('is ignored where none is declared, unless a change comes with another type than JSON', async () => {
    await using server = serve({ routes })
    const long = 'x'.repeat(2 * LIMIT)
    for (const type of ['application/json', 'application/json; charset=utf-8', 'application/merge-patch+json']) {
      const response = await server.send('POST', '/v0/bare', long, { 'content-type': type })
      expect(await response.json()).toEqual({ got: 'nothing' })
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const response = await server.send('POST', '/v0/bare', long, { 'content-type': type })
      expect([response.status, (await problem(response)).code]).toEqual([415, 'validation-failed'])
      const empty = await server.send('POST', '/v0/bare', '', { 'content-type': type })
      expect(await empty.json()).toEqual({ got: 'nothing' })
    }
  })

  test('is passed on unparsed where bytes are declared', async () => {
    await using server = serve({ routes })
    const response = await server.send('PUT', '/v0/bytes', 'name = 1', { 'content-type': 'application/toml' })
    expect(await response.json()).toEqual({ length: 8 })
    expect((await server.send('PUT', '/v0/bytes', '')).status).toBe(400)
  })

  const unreadable: [string, string][] = [
    ['{"title": "a",\n "count": }', 'unexpected "}" at line 2, column 11'],
    ['{"title": "a"', 'it ends too early, at line 1, column 14'],
    ['{"title": "a"} x', 'unexpected "x" at line 1, column 16'],
    ["{'title': 1}", `unexpected "'" at line 1, column 2`],
    ['{"title": "a\n"}', 'unexpected "\\n" at line 1, column 13'],
    ['[1,]', 'unexpected "]" at line 1, column 4'],
    ['{"a": 01}', 'unexpected "1" at line 1, column 8'],
    ['{"a": "\\x"}', 'unexpected "\\\\" at line 1, column 8'],
    ['nul', 'unexpected "n" at line 1, column 1'],
    [' ', 'it ends too early, at line 1, column 2'],
  ]
  test.each(unreadable)('that is not JSON (%j) is rejected with the position of the error', async (body, position) => {
    await using server = serve({ routes })
    const response = await server.send('POST', '/v0/drafts', body)
    const { code, detail } = await problem(response)
    expect([response.status, code, detail]).toEqual([400, 'validation-failed', `the body is not JSON: ${position}`])
  })

  test('that is not UTF-8 is rejected', async () => {
    await using server = serve({ routes })
    const body = new Uint8Array([0x22, 0xff, 0x22])
    const response = await server.ask('/v0/drafts', { method: 'POST', headers: { 'x-gc-request': '1' }, body })
    expect([response.status, (await problem(response)).detail]).toEqual([400, 'the body is not UTF-8'])
  })

  test('nested a hundred thousand levels deep is rejected, and the server keeps running', async () => {
    await using server = serve({ routes })
    const deep = await server.send('POST', '/v0/drafts', '['.repeat(100_000))
    expect([deep.status, (await problem(deep)).code]).toEqual([422, 'body-too-deep'])
    expect((await server.send('POST', '/v0/drafts', { title: 'a' })).status).toBe(200)
  })

  test('is measured by its levels, not by the brackets in its texts', async () => {
    await using server = serve({ routes })
    const title = '[{"\\"[{[{'
    const env = { a: '['.repeat(100), b: '\\' }
    const response = await server.send('POST', '/v0/drafts', { title, env })
    expect(await response.json()).toEqual({ got: { title, env } })
  })

  test('over the size limit is rejected, with or without a content length', async () => {
    await using server = serve({ routes })
    const fits = JSON.stringify({ title: 'a' }).padEnd(LIMIT, ' ')
    expect((await server.send('POST', '/v0/drafts', fits)).status).toBe(200)
    const announced = await server.send('POST', '/v0/drafts', `${fits} `)
    expect([announced.status, (await problem(announced)).code]).toEqual([413, 'body-too-large'])
    const chunks = new ReadableStream({
      start(controller) {
        for (let n = 0; n < 40; n++) controller.enqueue(new Uint8Array(64 * 1024))
        controller.close()
      },
    })
    const chunked = await server.ask('/v0/drafts', { method: 'POST', headers: { 'x-gc-request': '1' }, body: chunks })
    expect([chunked.status, (await problem(chunked)).code]).toEqual([413, 'body-too-large'])
  })

  test.each([
    ['with a content length', 'content-length: 50'],
    ['chunked', 'transfer-encoding: chunked'],
  ])('that does not arrive in time (%s) is rejected with a timeout', async (_, header) => {
    await using server = serve({ routes })
    const client = connect(server.port, '127.0.0.1')
    const answered = new Promise<string>((resolve) => client.once('data', (bytes) => resolve(bytes.toString())))
    client.write(`POST /v0/drafts HTTP/1.1\r\nhost: localhost\r\nx-gc-request: 1\r\n${header}\r\n\r\n`)
    while (server.deadlines.size === 0) await new Promise((resolve) => setImmediate(resolve))
    await server.clock.advance(5_000)
    const answer = await answered
    expect(answer).toStartWith('HTTP/1.1 408')
    expect(answer).toContain('request-timeout')
    client.destroy()
    expect(server.errors).toEqual([])
  })

  test('cut off by the client is not reported as an error', async () => {
    await using server = serve({ routes })
    const client = connect(server.port, '127.0.0.1')
    client.write('POST /v0/drafts HTTP/1.1\r\nhost: localhost\r\nx-gc-request: 1\r\ncontent-length: 50\r\n\r\n{"title"')
    while (server.deadlines.size === 0) await new Promise((resolve) => setImmediate(resolve))
    client.destroy()
    while (server.deadlines.size > 0) await new Promise((resolve) => setImmediate(resolve))
    expect(server.errors).toEqual([])
  })
})

describe('validation', () => {
  test('treats null as absent for optional properties only', async () => {
    await using server = serve({ routes })
    const body = { title: 'a', count: null, labels: null, env: null, parent: null, inner: { a: null } }
    const response = await server.send('POST', '/v0/drafts', body)
    expect(await response.json()).toEqual({ got: { title: 'a', parent: null, inner: {} } })
    expect((await server.send('POST', '/v0/drafts', { title: null })).status).toBe(422)
    expect((await server.send('POST', '/v0/drafts', { title: 'a', labels: [null] })).status).toBe(422)
  })

  test('does not coerce values', async () => {
    await using server = serve({ routes })
    for (const wrong of [
      { count: '1' },
      { done: 'true' },
      { done: 1 },
      { labels: 'a' },
      { title: 7 },
      { count: 1.5 },
    ]) {
      expect((await server.send('POST', '/v0/drafts', { title: 'a', ...wrong })).status).toBe(422)
    }
  })

  test('checks the value of every key of a map, whatever the key', async () => {
    await using server = serve({ routes })
    for (const key of ['a', '', '\n', '\r', '\u2028', '\u0000', '__proto__', 'constructor']) {
      const body = (value: string) => `{"title":"a","env":{${JSON.stringify(key)}:${value}}}`
      const headers = { 'x-gc-request': '1' }
      const send = (value: string) => server.ask('/v0/drafts', { method: 'POST', headers, body: body(value) })
      expect([key, (await send('true')).status, (await send('"x"')).status]).toEqual([key, 422, 200])
    }
  })

  const cases: [string, unknown, { message: string; location: string; value?: unknown }[]][] = [
    ['a missing property', {}, [{ message: 'title is required', location: 'body' }]],
    [
      'an empty string',
      { title: '' },
      [{ message: 'must have at least 1 character', location: 'body.title', value: '' }],
    ],
    [
      'a long string, truncated',
      { title: 'x'.repeat(500) },
      [{ message: 'must have at most 20 characters', location: 'body.title', value: 'x'.repeat(200) }],
    ],
    [
      'an unknown property',
      { title: 'a', Title: 'b' },
      [
        {
          message: 'Title is not a property here; known: title, count, done, labels, parent, env, mode, inner, due',
          location: 'body.Title',
          value: 'b',
        },
      ],
    ],
    [
      'a number below its minimum',
      { title: 'a', count: -1 },
      [{ message: 'must be at least 0', location: 'body.count', value: -1 }],
    ],
    [
      'an invalid array item',
      { title: 'a', labels: ['x', 3] },
      [{ message: 'must be a string', location: 'body.labels[1]', value: 3 }],
    ],
    [
      'a value outside its enum',
      { title: 'a', mode: 'warp' },
      [{ message: 'must be one of fast, slow', location: 'body.mode', value: 'warp' }],
    ],
    [
      'an invalid nullable value',
      { title: 'a', parent: 'x' },
      [{ message: 'must have at least 2 characters', location: 'body.parent', value: 'x' }],
    ],
    [
      'an unknown nested property',
      { title: 'a', inner: { b: 1 } },
      [{ message: 'b is not a property here; known: a', location: 'body.inner.b', value: 1 }],
    ],
    [
      'an invalid date-time',
      { title: 'a', due: 'soon' },
      [{ message: 'must be a date-time such as 2030-01-31T09:00:00Z', location: 'body.due', value: 'soon' }],
    ],
    ['a value of another type', [], [{ message: 'must be an object', location: 'body' }]],
    ['null', null, [{ message: 'must be an object', location: 'body', value: null }]],
    [
      'two errors',
      { title: 1, count: 'x' },
      [
        { message: 'must be a string', location: 'body.title', value: 1 },
        { message: 'must be an integer', location: 'body.count', value: 'x' },
      ],
    ],
  ]
  test.each(cases)('reports %s', async (_, body, errors) => {
    await using server = serve({ routes })
    const response = await server.send('POST', '/v0/drafts', JSON.stringify(body))
    const rejection = await problem(response)
    expect(response.status).toBe(422)
    expect(rejection).toMatchObject({
      code: 'validation-failed',
      title: 'Validation Failed',
      detail: 'validation failed',
    })
    expect(rejection.errors).toEqual(errors)
  })

  test('never echoes a possible secret', async () => {
    await using server = serve({ routes })
    const secrets = { api_key: 'abc', env: { HOME: 7 }, note: 'gcs_0123', bearer: 'Bearer abc', list: ['abc'] }
    const text = await (await server.send('POST', '/v0/drafts', { title: 'a', ...secrets })).text()
    expect(text).not.toMatch(/abc|gcs_0123|:7/)
    expect(text).toContain('body.api_key')
  })

  test('stops after fifty errors', async () => {
    await using server = serve({ routes })
    const response = await server.send('POST', '/v0/drafts', {
      title: 'a',
      labels: Array.from({ length: 10_000 }, () => 1),
    })
    expect((await problem(response)).errors).toHaveLength(50)
  })

  test('treats the names of inherited object properties like any other', async () => {
    await using server = serve({ routes })
    const response = await server.send('POST', '/v0/drafts', '{"title":"a","__proto__":{"count":1},"constructor":1}')
    expect(response.status).toBe(422)
    const accepted = await server.send('POST', '/v0/drafts', '{"title":"a","env":{"constructor":"x","toString":"y"}}')
    expect(await accepted.json()).toEqual({ got: { title: 'a', env: { constructor: 'x', toString: 'y' } } })
  })
})
