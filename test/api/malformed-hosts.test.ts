import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sendRaw } from '../support/raw-http.ts'
import { World } from '../support/world.ts'

let world: World
let networkUrl: string
let publicUrl: string
beforeAll(async () => {
  world = await World.open('--social-listen', '127.0.0.1:0', '--public-listen', '127.0.0.1:0')
  networkUrl = await world.waitForOutput(/network answers at (http:\S+)\.\s/)
  publicUrl = await world.waitForOutput(/other machines at (http:\S+)\.\s/)
}, 30_000)
afterAll(() => world[Symbol.asyncDispose]())

/** Each character is one byte. */
const exchange = (url: string, text: string) => sendRaw(url, Buffer.from(text, 'latin1'))

const request = (path: string, host: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers, '', ''].join('\r\n')

const MALFORMED = [
  'x?y',
  'x/y',
  'x\\y',
  '@evil',
  'evil@localhost',
  '#',
  '',
  ':80',
  'a b',
  'l\xf6calhost',
  'localhost:99999',
  'localhost:http',
  'localhost, evil.com',
  'x%41',
  '[::1]evil.com',
  '[::1',
  '[localhost]',
  '::1',
  '127.999.999.999',
  '127.1',
  '0x7f.1',
  'xn--a',
  '-',
  'a'.repeat(300),
]

const PROGRAM_TEXT = /node_modules|\.ts\b|at \/|stack|<html|Bun|Elysia/i

describe('a malformed Host header', () => {
  test.each(MALFORMED)('%p gets a problem of the supervisor and nothing else', async (host) => {
    for (const path of ['/health', '/v0/cities', '/v0/city/none/beads?limit=1', '/openapi.json', '/docs', '/v0/none']) {
      const { status, head, body } = await exchange(world.url, request(path, host))
      expect([path, status]).toEqual([path, 421])
      expect(head).toMatch(/content-type: application\/problem\+json/i)
      expect(head).toMatch(/x-gc-request-id: [0-9a-f]{16}/i)
      expect(JSON.parse(body)).toMatchObject({ status: 421, code: 'host-not-allowed' })
      expect(body).not.toMatch(PROGRAM_TEXT)
    }
  })

  test.each(MALFORMED)('%p gets an error of the network and nothing else', async (host) => {
    for (const path of [
      '/',
      '/api/v1/posts',
      '/posts',
      '/api/v1/agents/register',
      '/m/general',
      '/skill.md',
      '/none',
    ]) {
      const { status, head, body } = await exchange(networkUrl, request(path, host, 'User-Agent: MoltbookSDK/1'))
      expect([path, status]).toEqual([path, 421])
      expect(head).toMatch(/content-type: application\/json/i)
      expect(JSON.parse(body)).toMatchObject({ success: false, code: 'HOST_NOT_ALLOWED' })
      expect(body).not.toMatch(PROGRAM_TEXT)
    }
  })

  test.each(MALFORMED)('%p finds nothing at the address for other machines', async (host) => {
    for (const path of ['/', '/health', '/v0/city/none/hook/x', '/v0/city/none/svc/x/', '/v0/cities', '/posts']) {
      const { status, head, body } = await exchange(publicUrl, request(path, host))
      expect([path, status, body]).toEqual([path, 404, 'there is nothing at this address\n'])
      expect(head).toMatch(/content-type: text\/plain/i)
    }
  })

  test.each(MALFORMED)('%p opens no WebSocket', async (host) => {
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']
    const text = request('/v0/city/none/session/x/terminal', host, ...upgrade).replace(
      'Connection: close',
      'Connection: Upgrade, close',
    )
    expect((await exchange(world.url, text)).status).toBe(421)
  })

  test('that is missing is a bad request in HTTP/1.1, and the wrong server in HTTP/1.0', async () => {
    for (const url of [world.url, networkUrl, publicUrl]) {
      const none = await exchange(url, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n')
      expect([none.status, none.body]).toEqual([400, ''])
      const old = await exchange(url, 'GET /health HTTP/1.0\r\n\r\n')
      expect(old.status).toBe(url === publicUrl ? 404 : 421)
    }
  })

  test('changes nothing when a mutation carries it', async () => {
    const before = await world.call('GET /v0/events')
    const body = JSON.stringify({ dir: world.folder.at('sly'), start_command: 'true' })
    const headers = ['X-GC-Request: 1', 'Content-Type: application/json', `Content-Length: ${body.length}`]
    const text = request('/v0/city', '@evil', ...headers).replace('GET', 'POST')
    expect((await exchange(world.url, text + body)).status).toBe(421)
    expect((await world.call('GET /v0/events')).body.total).toBe(before.body.total)
  })
})

describe('a well-formed Host header', () => {
  test.each(['localhost', 'LOCALHOST:1', 'localhost:', '127.0.0.1:8372', '127.9.9.9', '[::1]', '[::1]:8372'])(
    '%p is answered',
    async (host) => {
      expect((await exchange(world.url, request('/health', host))).status).toBe(200)
      expect((await exchange(networkUrl, request('/api/v1/health', host))).status).toBe(200)
    },
  )

  test('of another machine is named in the sentence that rejects it', async () => {
    const { status, body } = await exchange(world.url, request('/health', 'evil.example:80'))
    expect([status, JSON.parse(body).detail]).toEqual([
      421,
      'host_not_allowed: evil.example is not a name of this server; list it to allow it',
    ])
  })
})
