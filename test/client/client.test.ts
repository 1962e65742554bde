import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { Client, fillPath } from '../../src/client/client.ts'
import { ApiError, NotGc, Unreachable } from '../../src/client/errors.ts'
import { resolveAccess } from '../../src/client/home.ts'
import { tempFolder } from '../support/folder.ts'

/** Header that marks gc's responses. */
const FROM_GC = { 'X-GC-Request-Id': '1' }

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    if (pathname === '/plain') return new Response('not found\n', { status: 404, headers: FROM_GC })
    if (pathname === '/rejected') {
      const errors = [{ location: 'body.title', message: 'expected length >= 1' }]
      return Response.json(
        { code: 'validation-failed', detail: 'validation failed', errors },
        { status: 422, headers: FROM_GC },
      )
    }
    const { method, headers } = request
    const body = method === 'GET' ? undefined : await request.text()
    if (pathname === '/stranger') return Response.json({ hello: 'world' })
    const echoed = { method, path: pathname + search, headers: Object.fromEntries(headers), body }
    return Response.json(echoed, { headers: FROM_GC })
  },
})
afterAll(() => server.stop(true))

const url = `http://127.0.0.1:${server.port}`
interface Echo {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

const echo = async (client: Client, operation: string, call = {}): Promise<Echo> =>
  (await client.request(operation, call)).json() as Promise<Echo>

describe('a call', () => {
  test('encodes each parameter as one path segment and leaves out empty query fields', async () => {
    const client = new Client({ url, token: undefined })
    const received = await echo(client, 'GET ~/agent/{dir}/{base}', {
      params: { cityName: 'a b', dir: 'my rig', base: 'a/b' },
      query: { peek: true, rig: undefined, limit: 0, state: '' },
    })
    expect(received.path).toBe('/v0/city/a%20b/agent/my%20rig/a%2Fb?peek=true&limit=0')
    expect(() => fillPath('~/bead/{id}', { cityName: 'x' })).toThrow('needs id')
  })

  test('sends the header that a foreign page cannot set, the token, and a content type only with a body', async () => {
    const client = new Client({ url, token: 'gco_secret' })
    const get = await echo(client, 'GET /v0/cities')
    expect(get.headers).toMatchObject({ 'x-gc-request': '1', authorization: 'Bearer gco_secret' })
    expect(get.headers['content-type']).toBeUndefined()
    const post = await echo(client, 'POST /v0/city', { body: { dir: '/x' } })
    expect(post).toMatchObject({ method: 'POST', body: '{"dir":"/x"}' })
    expect(post.headers['content-type']).toBe('application/json')
  })

  test('is not mistaken for answered by a program that is not a supervisor', async () => {
    const error = await new Client({ url, token: undefined }).request('GET /stranger').catch((error) => error)
    expect(error).toBeInstanceOf(NotGc)
    expect(error.message).toContain(`what answers at ${url} is not a supervisor of gc`)
  })

  test('throws the error of the response, with the location of each detail', async () => {
    const error = await new Client({ url, token: undefined }).request('GET /rejected').catch((error) => error)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 422, code: 'validation-failed' })
    expect(error.sentence).toBe('validation failed (body.title: expected length >= 1)')
    const plain = await new Client({ url, token: undefined }).request('GET /plain').catch((error) => error)
    expect(plain).toMatchObject({ status: 404, code: '', message: 'not found' })
  })

  test('throws Unreachable when nothing answers', async () => {
    const client = new Client({ url: 'http://127.0.0.1:9', token: undefined })
    expect(client.call('GET /v0/cities')).rejects.toBeInstanceOf(Unreachable)
  })
})

describe('the address and token of the supervisor', () => {
  test('GC_URL goes before the file of a running supervisor, and that before the default', async () => {
    using home = tempFolder()
    const env = { GC_HOME: home.path }
    expect(resolveAccess(env)).toEqual({ url: 'http://127.0.0.1:8372', token: undefined, strangeTo: home.path })
    expect(resolveAccess({ ...env, GC_PORT: '8400' }).url).toBe('http://127.0.0.1:8400')
    await Bun.write(home.at('supervisor.json'), JSON.stringify({ url: 'http://127.0.0.1:5000/', pid: 1 }))
    expect(resolveAccess(env).url).toBe('http://127.0.0.1:5000')
    expect(resolveAccess({ ...env, GC_URL: 'http://127.0.0.1:6000' }).url).toBe('http://127.0.0.1:6000')
  })

  test('GC_TOKEN goes before the operator’s file, which is only used for this machine', async () => {
    using home = tempFolder()
    await Bun.write(home.at('token'), 'gco_file\n')
    chmodSync(home.at('token'), 0o600)
    const env = { GC_HOME: home.path }
    expect(resolveAccess({ ...env, GC_URL: 'http://127.0.0.1:6000' }).token).toBe('gco_file')
    expect(resolveAccess(env).token).toBeUndefined()
    expect(resolveAccess({ ...env, GC_TOKEN: 'gcs_mine' }).token).toBeUndefined()
    await Bun.write(home.at('supervisor.json'), JSON.stringify({ url: 'http://127.0.0.1:6000', pid: 1 }))
    expect(resolveAccess(env).token).toBe('gco_file')
    expect(resolveAccess({ ...env, GC_TOKEN: 'gcs_mine' }).token).toBe('gcs_mine')
    expect(resolveAccess({ ...env, GC_URL: 'https://elsewhere.example' }).token).toBeUndefined()
    await Bun.write(home.at('supervisor.json'), JSON.stringify({ url: 'http://10.0.0.5:8372', pid: 1 }))
    expect(resolveAccess(env)).toEqual({ url: 'http://10.0.0.5:8372', token: 'gco_file' })
  })

  test('a session without its token throws instead of using the operator’s', async () => {
    using home = tempFolder()
    await Bun.write(home.at('token'), 'gco_file\n')
    expect(() => resolveAccess({ GC_HOME: home.path, GC_SESSION_ID: 'mp-7' })).toThrow('GC_TOKEN is missing')
    const session = { GC_HOME: home.path, GC_SESSION_ID: 'mp-7', GC_TOKEN: 'gcs_x', GC_URL: 'http://127.0.0.1:6000' }
    expect(resolveAccess(session).token).toBe('gcs_x')
  })
})
