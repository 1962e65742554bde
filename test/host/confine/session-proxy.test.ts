import { describe, expect, test } from 'bun:test'
import { KeyMask } from '../../../src/host/confine/network/key-mask.ts'
import { ProxyWorld, Upstream } from './proxy-world.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi'
const status = (answer: string) => Number(answer.split(' ', 2)[1])
/** The name `inside.example` is at loopback here. */
const resolve = async (host: string) => [host === 'inside.example' ? '127.0.0.1' : host]

describe('the proxy of a session', () => {
  test('tunnels to a host that is allowed, and counts what passes', async () => {
    using upstream = await Upstream.open('pong', (text) => text === 'ping')
    using world = new ProxyWorld({ hosts: [`127.0.0.1:${upstream.port}`] })
    const answer = await world.send([`CONNECT 127.0.0.1:${upstream.port} HTTP/1.1`], 'ping')
    expect(answer).toBe('HTTP/1.1 200 Connection established\r\n\r\npong')
    expect(world.proxy.traffic).toMatchObject([
      { host: `127.0.0.1:${upstream.port}`, connections: 1, denied: 0, sent: 4, received: 4 },
    ])
  })

  test('passes a request of plain HTTP on without what is meant for the proxy', async () => {
    using upstream = await Upstream.open(OK)
    using world = new ProxyWorld({ hosts: [`127.0.0.1:${upstream.port}`] })
    const authority = `127.0.0.1:${upstream.port}`
    const lines = [
      `GET http://${authority}/a?b HTTP/1.1`,
      'Host: other.example',
      'X-One: 1',
      'Connection: X-Two',
      'X-Two: 2',
    ]
    expect(await world.send(lines)).toBe(OK)
    expect(upstream.received).toBe(`GET /a?b HTTP/1.1\r\nHost: ${authority}\r\nX-One: 1\r\nConnection: close\r\n\r\n`)
  })

  test.each([
    ['no password', ''],
    ['a wrong password', `Proxy-Authorization: Basic ${Buffer.from('gc:gcp_wrong').toString('base64')}`],
    ['two passwords', 'Proxy-Authorization: Basic Zzpn\r\nProxy-Authorization: Basic Zzpn'],
    ['another scheme', 'Proxy-Authorization: Bearer x'],
  ])('asks for its password first: %s', async (_, authorization) => {
    using upstream = await Upstream.open(OK)
    using world = new ProxyWorld({ hosts: 'any' })
    const answer = await world.send([`CONNECT 127.0.0.1:${upstream.port} HTTP/1.1`], '', authorization)
    expect(status(answer)).toBe(407)
    expect(answer).toContain('Proxy-Authenticate: Basic realm="gc"')
    expect(upstream.connections).toBe(0)
  })

  test('takes no password of another session', async () => {
    using one = new ProxyWorld({ hosts: 'any' })
    using other = new ProxyWorld({ hosts: 'any' })
    expect(status(await one.send(['CONNECT example.com:443 HTTP/1.1'], '', other.authorization))).toBe(407)
  })

  test('refuses a host that is not allowed, says how to allow it, and counts that', async () => {
    using world = new ProxyWorld({ hosts: ['example.com'] })
    const answer = await world.send(['CONNECT evil.example:443 HTTP/1.1'])
    expect(status(answer)).toBe(403)
    expect(answer).toEndWith('gc: evil.example:443 is not allowed: allow evil.example\n')
    expect(world.denied).toEqual(['evil.example:443'])
    expect(world.proxy.traffic).toMatchObject([{ host: 'evil.example', connections: 0, denied: 1 }])
  })

  test('does not look a name up that is not allowed: what is asked for could tell something', async () => {
    const lookedUp: string[] = []
    const spy = async (host: string) => {
      lookedUp.push(host)
      return []
    }
    using world = new ProxyWorld({ hosts: ['known.example'] }, { resolve: spy })
    expect(status(await world.send(['CONNECT c2VjcmV0.evil.example:443 HTTP/1.1']))).toBe(403)
    expect(status(await world.send(['GET http://c2VjcmV0.evil.example/ HTTP/1.1']))).toBe(403)
    expect(status(await world.send(['CONNECT known.example:443 HTTP/1.1']))).toBe(502)
    expect(lookedUp).toEqual(['known.example'])
  })

  test('limits the open connections of a session and reports it', async () => {
    using world = new ProxyWorld({ hosts: 'any' })
    const open = Array.from({ length: 256 }, () => world.raw('GET http://exam'))
    expect(await world.raw('GET http://exam')).toContain('a session has at most 256 open connections')
    world.proxy.close()
    await Promise.all(open)
  })

  test('judges where a redirect leads as it judges every host, since it follows none', async () => {
    using elsewhere = await Upstream.open(OK)
    const moved = `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${elsewhere.port}/\r\nContent-Length: 0\r\n\r\n`
    using upstream = await Upstream.open(moved)
    using world = new ProxyWorld({ hosts: [`127.0.0.1:${upstream.port}`] })
    expect(await world.send([`GET http://127.0.0.1:${upstream.port}/ HTTP/1.1`])).toBe(moved)
    expect(status(await world.send([`GET http://127.0.0.1:${elsewhere.port}/ HTTP/1.1`]))).toBe(403)
    expect(elsewhere.connections).toBe(0)
  })

  test.each(['127.1', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '2130706433', '127.0.0.1.', '①②⑦.0.0.1'])(
    'takes %s for no host',
    async (host) => {
      using world = new ProxyWorld({ hosts: 'any' }, { resolve: async () => ['127.0.0.1'] })
      expect([400, 403]).toContain(status(await world.send([`CONNECT ${host}:80 HTTP/1.1`])))
      expect([400, 403]).toContain(status(await world.send([`GET http://${host}/ HTTP/1.1`])))
    },
  )

  test('refuses a name that stands for this machine, unless its address is allowed as well', async () => {
    using upstream = await Upstream.open('pong', (text) => text === 'ping')
    const lines = [`CONNECT inside.example:${upstream.port} HTTP/1.1`]
    const name = `inside.example:${upstream.port}`
    using world = new ProxyWorld({ hosts: [name] }, { resolve })
    expect(status(await world.send(lines, 'ping'))).toBe(403)
    using any = new ProxyWorld({ hosts: 'any' }, { resolve })
    expect(status(await any.send(lines, 'ping'))).toBe(403)
    expect(upstream.connections).toBe(0)
    using both = new ProxyWorld({ hosts: [name, `127.0.0.1:${upstream.port}`] }, { resolve })
    expect(status(await both.send(lines, 'ping'))).toBe(200)
  })

  test('connects to the address that it looked at, whatever the name stands for afterwards', async () => {
    using upstream = await Upstream.open('pong', (text) => text === 'ping')
    const answers = [['192.0.2.1', '127.0.0.1'], ['127.0.0.1']]
    const rebind = async () => answers.shift() ?? []
    using world = new ProxyWorld({ hosts: [`rebind.example:${upstream.port}`] }, { resolve: rebind })
    expect(status(await world.send([`CONNECT rebind.example:${upstream.port} HTTP/1.1`], 'ping'))).toBe(403)
    expect(answers).toHaveLength(1)
    expect(upstream.connections).toBe(0)
  })

  test.each([
    ...['169.254.169.254:80', '[::ffff:169.254.169.254]:80', '[fd00:ec2::254]:80', '[::ffff:127.0.0.1]:80', '[::1]:80'],
    ...[
      '10.0.0.1:80',
      '100.64.0.1:80',
      '[fe80::1]:80',
      '[64:ff9b::7f00:1]:80',
      '0.0.0.0:80',
      '[::]:80',
      '[fc00::1]:80',
    ],
  ])('never connects to %s', async (authority) => {
    using world = new ProxyWorld({ hosts: 'any' })
    expect(status(await world.send([`CONNECT ${authority} HTTP/1.1`]))).toBe(403)
  })

  test.each([
    ['a name that resolvers take for an address', 'CONNECT 2130706433:80 HTTP/1.1'],
    ['no port', 'CONNECT example.com HTTP/1.1'],
    ['a user in the address', 'GET http://a@example.com/ HTTP/1.1'],
    ['https without CONNECT', 'GET https://example.com/ HTTP/1.1'],
    ['another version', 'GET http://example.com/ HTTP/2.0'],
    ['two lengths', 'POST http://example.com/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2'],
    ['a length and chunks', 'POST http://example.com/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked'],
    ['an encoding that it does not know', 'POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: xchunked'],
    ['a folded header', 'GET http://example.com/ HTTP/1.1\r\nA: b\r\n c'],
    ['a space before the colon', 'GET http://example.com/ HTTP/1.1\r\nA : b'],
    ['a bare line feed', 'GET http://example.com/ HTTP/1.1\r\nA: b\nHost: x'],
  ])('passes no request on that can be read in two ways: %s', async (_, lines) => {
    using world = new ProxyWorld({ hosts: 'any' })
    expect(status(await world.send([lines]))).toBe(400)
    expect(world.proxy.traffic).toEqual([])
  })

  test('passes one request of plain HTTP on, and nothing hidden behind its body', async () => {
    using upstream = await Upstream.open(OK, (text) => text.includes('smuggled'))
    using world = new ProxyWorld({ hosts: [`127.0.0.1:${upstream.port}`] })
    const hidden = 'GET /smuggled HTTP/1.1\r\nHost: evil.example\r\n\r\n'
    const url = `http://127.0.0.1:${upstream.port}/`
    await world.send([`POST ${url} HTTP/1.1`, 'Content-Length: 2'], `ab${hidden}`)
    await world.send([`POST ${url} HTTP/1.1`, 'Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`)
    await world.send([`POST ${url} HTTP/1.1`, 'Transfer-Encoding: chunked'], `zz\r\n${hidden}`)
    expect(upstream.received).not.toContain('smuggled')
  })

  test('lets go of a head that is too long, and of its connections when its session is over', async () => {
    using world = new ProxyWorld({ hosts: 'any' })
    expect(status(await world.send([`GET http://example.com/${'a'.repeat(40_000)} HTTP/1.1`]))).toBe(400)
    const reset = () => ''
    const open = world.raw('GET http://exam').catch(reset)
    await Bun.sleep(10)
    world.proxy.close()
    expect(await open).toBe('')
    expect(world.raw('')).rejects.toThrow()
  })

  test('lists two hundred hosts, and the others together', async () => {
    using world = new ProxyWorld({ hosts: [] })
    for (let n = 0; n < 203; n++) await world.send([`CONNECT host-${n}.example:443 HTTP/1.1`])
    const { traffic } = world.proxy
    expect(traffic).toHaveLength(201)
    expect(traffic.at(-1)).toMatchObject({ host: '*', denied: 3 })
  })
})

describe('a key of a provider', () => {
  const key = (port: number) => ({
    ...{ name: 'anthropic', url: `http://127.0.0.1:${port}/base`, header: 'x-api-key', value: 'true-key' },
  })

  test('is put in for a program that shows what it was given instead, at the address of the provider', async () => {
    using upstream = await Upstream.open(OK)
    const env = { ANTHROPIC_BASE_URL: '{url:anthropic}', ANTHROPIC_AUTH_TOKEN: '{key}' }
    using world = new ProxyWorld({ keys: [key(upstream.port)], env })
    const { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: shown } = world.proxy.env
    expect(url).toBe(`http://127.0.0.1:${world.proxy.port}/anthropic`)
    const lines = [
      'POST /anthropic/v1/messages?beta=true HTTP/1.1',
      `Authorization: Bearer ${shown}`,
      'Content-Length: 2',
    ]
    expect(await world.send([...lines, 'Cookie: a'], '{}', '')).toBe(OK)
    expect(upstream.received).toBe(
      `POST /base/v1/messages?beta=true HTTP/1.1\r\nHost: 127.0.0.1:${upstream.port}\r\nContent-Length: 2\r\nAccept-Encoding: identity\r\nx-api-key: true-key\r\nConnection: close\r\n\r\n{}`,
    )
    expect(world.proxy.traffic).toMatchObject([{ host: `127.0.0.1:${upstream.port}`, connections: 1 }])
  })

  test.each([
    ['no key', '/anthropic/v1/messages', '', 401],
    ['another key', '/anthropic/v1/messages', 'x-api-key: sk-other', 401],
    ['another provider', '/openai/v1/messages', 'x-api-key: {key}', 403],
    ['a way out of its address', '/anthropic/../other', 'x-api-key: {key}', 403],
    ['an encoded way out of its address', '/anthropic/%2e%2e/other', 'x-api-key: {key}', 403],
    ['a way out by a backslash', '/anthropic/..\\other', 'x-api-key: {key}', 403],
    ['another host in its place', '/anthropic@evil.example/', 'x-api-key: {key}', 403],
  ])('is not used for %s', async (_, target, header, refused) => {
    using upstream = await Upstream.open(OK)
    using world = new ProxyWorld({ keys: [key(upstream.port)] })
    const shown = header.replace('{key}', world.password)
    const answer = await world.send([`POST ${target} HTTP/1.1`, ...(shown ? [shown] : []), 'Content-Length: 0'], '', '')
    expect(status(answer)).toBe(refused)
    expect(upstream.connections).toBe(0)
  })

  test('goes to its own provider only, and nothing hidden behind a request goes anywhere', async () => {
    using one = await Upstream.open(OK, (text) => text.includes('smuggled'))
    using other = await Upstream.open(OK)
    const openai = { name: 'openai', url: `http://127.0.0.1:${other.port}`, header: 'authorization', value: 'Bearer b' }
    using world = new ProxyWorld({ keys: [key(one.port), openai] })
    const shown = `x-api-key: ${world.password}`
    await world.send(['GET /openai/v1/models HTTP/1.1', shown, 'Upgrade: websocket', 'Connection: Upgrade'], '', '')
    expect(other.received).toBe(
      `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:${other.port}\r\nAccept-Encoding: identity\r\nauthorization: Bearer b\r\nConnection: close\r\n\r\n`,
    )
    const hidden = 'GET /smuggled HTTP/1.1\r\nHost: evil.example\r\n\r\n'
    await world.send(['POST /anthropic/x HTTP/1.1', shown, 'Content-Length: 2'], `ab${hidden}`, '')
    await world.send(['POST /anthropic/x HTTP/1.1', shown, 'Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`, '')
    const injected = ['POST /anthropic/x HTTP/1.1', shown, `X-A: b\nHost: evil.example`, 'Content-Length: 0']
    expect(status(await world.send(injected, '', ''))).toBe(400)
    expect(one.received).not.toMatch(/smuggled|evil|Bearer b/)
    expect(other.received).not.toContain('true-key')
  })

  test('does not follow a redirect of its provider, nor is it read from an answer', async () => {
    using elsewhere = await Upstream.open(OK)
    const location = `http://127.0.0.1:${elsewhere.port}/?key=true-key`
    const body = 'Incorrect API key provided: true-key true-ke'
    const answer = `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nX-Echo: true-key\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
    using upstream = await Upstream.open(answer)
    using world = new ProxyWorld({ keys: [key(upstream.port)] })
    const lines = ['GET /anthropic/x HTTP/1.1', `x-api-key: ${world.password}`, 'Accept-Encoding: gzip']
    expect(await world.send(lines, '', '')).toBe(answer.replaceAll('true-key', '********'))
    expect(upstream.received).toContain('Accept-Encoding: identity')
    expect(elsewhere.connections).toBe(0)
  })

  test('is blanked in an answer even where that comes in pieces', async () => {
    for (const pieces of [
      ['a true', '-key b'],
      ['t', 'rue-ke', 'y'],
      ['true-true', '-key'],
      ['true-ke', '!'],
    ]) {
      const mask = new KeyMask('true-key')
      for (const piece of pieces) mask.write(piece)
      mask.end()
      expect(Buffer.concat(await mask.toArray()).toString()).toBe(pieces.join('').replaceAll('true-key', '********'))
    }
  })

  test.each(['TRACE', 'CONNECT', 'PURGE'])('is not put into a request by %s', async (method) => {
    using upstream = await Upstream.open(OK)
    using world = new ProxyWorld({ keys: [key(upstream.port)] })
    const lines = [`${method} /anthropic/x HTTP/1.1`, `x-api-key: ${world.password}`]
    expect(status(await world.send(lines, '', ''))).toBe(400)
    expect(upstream.connections).toBe(0)
  })

  test('answers a stream as it comes', async () => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () =>
        new Response(
          new ReadableStream({
            async start(controller) {
              controller.enqueue('data: one\n\n')
              await answered.promise
              controller.enqueue('data: two\n\n')
              controller.close()
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    })
    const answered = Promise.withResolvers<void>()
    using world = new ProxyWorld({ keys: [{ ...key(server.port ?? 0) }] })
    const headers = { 'x-api-key': world.password }
    const response = await fetch(`http://127.0.0.1:${world.proxy.port}/anthropic/x`, { method: 'POST', headers })
    const parts: string[] = []
    for await (const part of response.body ?? []) {
      parts.push(Buffer.from(part).toString())
      answered.resolve()
    }
    expect(parts).toEqual(['data: one\n\n', 'data: two\n\n'])
    await server.stop(true)
  })
})
