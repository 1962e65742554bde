import { describe, expect, test } from 'bun:test'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { OuterRoutes, outerProxies } from '../../../src/host/confine/network/outer-proxy.ts'
import { ProxyWorld, Upstream } from './proxy-world.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi'
const USER = `Basic ${Buffer.from('me:pass word').toString('base64')}`
const status = (answer: string) => Number(answer.split(' ', 2)[1])

/** A proxy of a network on loopback that takes every name for one upstream, and keeps the heads that it is sent. */
class NetworkProxy implements Disposable {
  readonly heads: string[] = []
  readonly #server: Server

  constructor(upstream: Upstream, answer = 'HTTP/1.1 200 OK\r\n\r\n') {
    this.#server = createServer((client) => {
      client.on('error', () => client.destroy())
      client.once('data', (bytes) => {
        this.heads.push(bytes.toString('latin1'))
        if (!answer.includes(' 200 ')) return void client.end(answer)
        const host = connect({ host: '127.0.0.1', port: upstream.port })
        host.on('error', () => host.destroy())
        if (bytes.toString().startsWith('CONNECT ')) client.write(answer)
        else host.write(bytes)
        join(client, host)
      })
    }).listen(0, '127.0.0.1')
  }

  get address(): string {
    const address = this.#server.address()
    return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  }

  [Symbol.dispose](): void {
    this.#server.close()
  }
}

const join = (one: Socket, other: Socket) => one.pipe(other).pipe(one)

/** Resolves one known name, to a private address. */
const resolve = async (host: string) => {
  if (host === 'private.example') return ['10.0.0.1']
  if (host.endsWith('.example')) throw new Error('not known')
  return [host]
}

describe('a proxy of the network that the environment of gc names', () => {
  test('is asked for a host, by its name and with the password of the environment', async () => {
    using upstream = await Upstream.open('pong', (text) => text === 'ping')
    using proxy = new NetworkProxy(upstream)
    const outer = { https: `http://me:pass%20word@${proxy.address}` }
    using world = new ProxyWorld({ hosts: ['known.example'], outer }, { resolve })
    const answer = await world.send(['CONNECT known.example:443 HTTP/1.1'], 'ping')
    expect(answer).toBe('HTTP/1.1 200 Connection established\r\n\r\npong')
    expect(proxy.heads).toEqual([
      `CONNECT known.example:443 HTTP/1.1\r\nHost: known.example:443\r\nProxy-Authorization: ${USER}\r\n\r\n`,
    ])
    expect(world.proxy.traffic).toMatchObject([{ host: 'known.example', connections: 1, sent: 4, received: 4 }])
    expect(JSON.stringify(world.proxy.env)).not.toContain('pass')
  })

  test('gets requests of plain HTTP whole, without the password of the session', async () => {
    using upstream = await Upstream.open(OK)
    using proxy = new NetworkProxy(upstream)
    using world = new ProxyWorld(
      { hosts: ['known.example'], outer: { http: `me:pass%20word@${proxy.address}` } },
      { resolve },
    )
    expect(await world.send(['GET http://known.example/a?b HTTP/1.1'])).toBe(OK)
    expect(proxy.heads).toEqual([
      `GET http://known.example/a?b HTTP/1.1\r\nHost: known.example\r\nProxy-Authorization: ${USER}\r\nConnection: close\r\n\r\n`,
    ])
  })

  test('carries requests with a key', async () => {
    using upstream = await Upstream.open(OK)
    using proxy = new NetworkProxy(upstream)
    const key = { name: 'own', url: 'http://models.example/v1', header: 'x-api-key', value: 'true-key' }
    using world = new ProxyWorld({ keys: [key], outer: { http: `http://${proxy.address}` } }, { resolve })
    expect(await world.send(['GET /own/models HTTP/1.1', `x-api-key: ${world.password}`], '', '')).toBe(OK)
    expect(proxy.heads[0]).toStartWith('GET http://models.example/v1/models HTTP/1.1\r\nHost: models.example\r\n')
    expect(proxy.heads[0]).toContain('x-api-key: true-key')
  })

  test('is not asked for what no list has, nor for a name that is a private address here', async () => {
    using upstream = await Upstream.open('pong')
    using proxy = new NetworkProxy(upstream)
    const outer = { http: `http://${proxy.address}`, https: `http://${proxy.address}` }
    using world = new ProxyWorld({ hosts: ['private.example', '169.254.169.254'], outer }, { resolve })
    for (const host of ['other.example', 'private.example', '169.254.169.254', '10.0.0.1']) {
      expect(status(await world.send([`CONNECT ${host}:443 HTTP/1.1`]))).toBe(403)
      expect(status(await world.send([`GET http://${host}/ HTTP/1.1`]))).toBe(403)
    }
    expect(proxy.heads).toEqual([])
  })

  test('is reported when it refuses, does not answer, or cannot be used by gc', async () => {
    using upstream = await Upstream.open('pong')
    using proxy = new NetworkProxy(upstream, 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const ask = async (https: string) => {
      using world = new ProxyWorld({ hosts: ['known.example'], outer: { https } }, { resolve })
      return await world.send(['CONNECT known.example:443 HTTP/1.1'])
    }
    expect(await ask(`http://${proxy.address}`)).toEndWith(
      `gc: the proxy ${proxy.address} that the environment of gc names does not reach known.example:443: 407 Proxy Authentication Required\n`,
    )
    expect(await ask('http://127.0.0.1:9')).toEndWith(
      'gc: the proxy 127.0.0.1:9 that the environment of gc names does not answer\n',
    )
    expect(await ask('socks5://me:secret@127.0.0.1:9')).toEndWith(
      'gc: the environment of gc names a proxy of socks5 that gc cannot use; name one of http or https, or none\n',
    )
  })
})

test('an environment says of which hosts a proxy is asked', () => {
  const direct = '.corp.example, *.lan,db:5432,10.0.0.0/8 2001:db8::/32,exact.example'
  const proxies = outerProxies({ https_proxy: 'http://small:1', HTTPS_PROXY: 'http://large:1', NO_PROXY: direct })
  expect(proxies).toEqual({ https: 'http://small:1', direct })
  const routes = new OuterRoutes(proxies)
  const through = (host: string, port = 443) => routes.to(host, port, { isPlain: false })?.host
  for (const host of [
    'a.corp.example',
    'corp.example',
    'x.lan',
    '10.1.2.3',
    '2001:db8::7',
    'exact.example',
    'localhost',
  ]) {
    expect([host, through(host)]).toEqual([host, undefined])
  }
  expect([through('db', 5432), through('127.0.0.1'), through('::1')]).toEqual([undefined, undefined, undefined])
  for (const host of ['db', 'notcorp.example', '11.0.0.1', 'example'])
    expect([host, through(host)]).toEqual([host, 'small'])
  expect(routes.to('example.com', 80, { isPlain: true })).toBeUndefined()
  expect(outerProxies({ ALL_PROXY: 'http://all:1' })).toEqual({ http: 'http://all:1', https: 'http://all:1' })
  expect(outerProxies({ NO_PROXY: '*', HTTPS_PROXY: ' ' })).toBeUndefined()
  expect(new OuterRoutes({ https: 'http://p', direct: '*' }).isThrough('example.com', 443)).toBe(false)
})
