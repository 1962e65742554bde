import { randomBytes } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { Transform, type TransformCallback } from 'node:stream'
import { type Clock, systemClock } from '../../../core/clock.ts'
import { isSameSecret } from '../../../core/digest.ts'
import { errorMessage } from '../../../core/errors.ts'
import { normalHost } from '../../../core/host-rules.ts'
import type { HostAnswer, HostPrompt, HostTraffic, ProviderKey, ProxyRules } from '../../protocol/index.ts'
import { type Resolve, systemResolve } from './dial.ts'
import { Gatekeeper, Refusal } from './gatekeeper.ts'
import { HostConsent } from './host-consent.ts'
import { KeyMask } from './key-mask.ts'
import { Ledger, listedHost } from './ledger.ts'
import { OuterRoutes } from './outer-proxy.ts'
import {
  type BodyEnd,
  MAX_HEAD_BYTES,
  parseHead,
  type RequestHead,
  rewrittenHead,
  splitHead,
  valuesOf,
} from './request-head.ts'
import { plainTarget, type Reached, reach } from './tunnel.ts'

const MAX_CONNECTIONS = 256
const HEAD_MS = 15_000
/** Time for a client to read why it was refused, in milliseconds. */
const REFUSAL_GRACE_MS = 2_000

const STATUS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  407: 'Proxy Authentication Required',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

/** Methods of requests to providers. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Prefix of proxy passwords. */
export const PROXY_PASSWORD_PREFIX = 'gcp_'

export interface SessionProxyOptions {
  rules: ProxyRules
  clock?: Clock
  resolve?: Resolve
  /** Called with a refused host and the hosts to allow for it; none if that would not help. */
  onDenial(host: string, needed: readonly string[]): void
  /** Called with the host that a person is asked about now, or with none. */
  onAsked?(asked: HostPrompt | undefined): void
  /** Time a connection waits for a person, in milliseconds. */
  patience?: number
}

/** A request that is forwarded to its host. */
interface ForwardedRequest {
  place: Reached
  head: RequestHead
  /** Its head, as the host gets it. */
  sent: string
  /** Bytes read after its head. */
  rest: Buffer
  /** Keeps a key out of the answer. */
  mask?: KeyMask
}

/** The way of one session to other hosts: a proxy on loopback that asks for a password, which ends with the session. */
export class SessionProxy {
  readonly #password = `${PROXY_PASSWORD_PREFIX}${randomBytes(32).toString('base64url')}`
  readonly #gatekeeper: Gatekeeper
  readonly #consent: HostConsent | undefined
  readonly #ledger: Ledger
  readonly #server: Server
  readonly #clients = new Set<Socket>()
  readonly #resolve: Resolve
  readonly #routes: OuterRoutes
  readonly port: number

  constructor(private readonly options: SessionProxyOptions) {
    const { rules, clock = systemClock, resolve = systemResolve, patience } = options
    this.#resolve = resolve
    const onChange = () => options.onAsked?.(this.asked)
    this.#consent = rules.asks
      ? new HostConsent({ clock, onChange, ...(patience !== undefined && { patience }) })
      : undefined
    this.#routes = new OuterRoutes(rules.outer)
    const isThrough = (host: string, port: number) => this.#routes.isThrough(host, port)
    this.#gatekeeper = new Gatekeeper(rules, resolve, this.#consent, isThrough)
    this.#ledger = new Ledger(clock)
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client))
    this.#server.on('error', () => this.close())
    this.#server.listen(0, '127.0.0.1')
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the system gave no port for a proxy')
    this.port = address.port
    this.#server.unref()
  }

  /** Traffic of the session so far, by host. */
  get traffic(): HostTraffic[] {
    return this.#ledger.rows
  }

  /** The host that a person is asked about now. */
  get asked(): HostPrompt | undefined {
    return this.#consent?.current
  }

  /** Takes what a person says of a host; false when no one is asked about it. */
  answer(host: string, port: number, answer: HostAnswer): boolean {
    return this.#consent?.answer(host, port, answer) ?? false
  }

  /** The variables by which programs find it. */
  get env(): Record<string, string> {
    return proxyVariables({ port: this.port, password: this.#password, rules: this.options.rules })
  }

  /** Puts the addresses of providers into the arguments of the program. */
  fill(argv: readonly string[]): string[] {
    return argv.map((word) => withAddresses(word, this.port, this.options.rules.keys))
  }

  close(): void {
    this.#server.close()
    this.#consent?.close()
    for (const client of this.#clients) client.destroy()
  }

  #accept(client: Socket): void {
    this.#clients.add(client)
    client.on('close', () => this.#clients.delete(client))
    client.on('error', () => client.destroy())
    if (this.#clients.size > MAX_CONNECTIONS) {
      refuse(client, 503, `a session has at most ${MAX_CONNECTIONS} open connections`)
      return
    }
    client.setTimeout(HEAD_MS, () => client.destroy())
    let bytes = Buffer.alloc(0)
    let isRead = false
    const onData = (more: Buffer) => {
      bytes = Buffer.concat([bytes, more])
      const split = splitHead(bytes)
      if (!split && bytes.length <= MAX_HEAD_BYTES) return
      const isTooLong = bytes.length - (split?.rest.length ?? 0) > MAX_HEAD_BYTES
      isRead = true
      client.off('data', onData)
      client.pause()
      client.setTimeout(0)
      const head = isTooLong ? undefined : split && parseHead(split.head)
      if (split && head) this.#serve(client, head, split.rest).catch((error) => this.#fail(client, error))
      else refuse(client, 400, 'that is not a request which a proxy can pass on')
    }
    client.on('data', onData)
    client.on('end', () => {
      if (!isRead) client.destroy()
    })
  }

  #fail(client: Socket, error: unknown): void {
    if (error instanceof Refusal) refuse(client, error.status, error.message)
    else refuse(client, 502, errorMessage(error))
  }

  async #serve(client: Socket, head: RequestHead, rest: Buffer): Promise<void> {
    if (head.target.startsWith('/')) return this.#callProvider(client, head, rest)
    if (!isAuthorized(head, this.#password)) {
      return refuse(client, 407, 'this proxy is of one session of gc, and asks for its password', [
        'Proxy-Authenticate: Basic realm="gc"',
      ])
    }
    if (head.method === 'CONNECT') return this.#tunnel(client, head, rest)
    const [, authority = '', path = ''] = /^http:\/\/([^/?#@]+)([/?][^#]*)?$/i.exec(head.target) ?? []
    const to = parseAuthority(authority, 80)
    if (!to) throw new Refusal(400, 'the request names no host that a proxy can reach; https needs CONNECT')
    const outer = this.#routes.to(to.host, to.port, { isPlain: true })
    const place = { ...to, outer, isPlain: true, isTls: false, addresses: await this.#admit(to) }
    const { target, shown } = plainTarget(outer, authority, path.startsWith('/') ? path : `/${path}`)
    const sent = rewrittenHead(head, target, authority, { with: shown })
    await this.#pass(client, { place, head, sent, rest })
  }

  async #tunnel(client: Socket, { target }: RequestHead, rest: Buffer): Promise<void> {
    const to = parseAuthority(target)
    if (!to) throw new Refusal(400, `${target} is not a host and port`)
    const outer = this.#routes.to(to.host, to.port, { isPlain: false })
    const place = { ...to, outer, isPlain: false, isTls: false, addresses: await this.#admit(to) }
    const upstream = await this.#dial(client, place)
    if (!upstream) return
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    const name = listedHost(place.host, place.port)
    relay(client, upstream, { first: rest, moved: (sent, received) => this.#ledger.moved(name, sent, received) })
  }

  /** Passes a request on to a provider, with the key that the program does not have. */
  async #callProvider(client: Socket, head: RequestHead, rest: Buffer): Promise<void> {
    const found = providerUrl(head.target, this.options.rules.keys)
    if (!found) throw new Refusal(403, 'gc has no key for this address in this session')
    if (!showsPassword(head, this.#password)) {
      return refuse(client, 401, 'this address is of one session of gc: its program shows the key that it was given')
    }
    // What a host answers to TRACE is the request, with the key in it.
    if (!METHODS.has(head.method)) throw new Refusal(400, `a provider is not asked by ${head.method}`)
    const { key, url } = found
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const isTls = url.protocol === 'https:'
    const port = Number(url.port) || (isTls ? 443 : 80)
    const outer = this.#routes.to(host, port, { isPlain: !isTls })
    const place = { host, port, outer, isPlain: !isTls, isTls, addresses: outer ? [] : await this.#resolve(host) }
    const path = `${url.pathname}${url.search}`
    const { target, shown } = isTls ? { target: path, shown: [] } : plainTarget(outer, url.host, path)
    // An answer that is not compressed can be searched for the key.
    const added = [...shown, ['Accept-Encoding', 'identity'] as const, [key.header, key.value] as const]
    const sent = rewrittenHead(head, target, url.host, { without: withoutKeys, with: added })
    const mask = new KeyMask(key.value.replace(/^Bearer /, ''))
    await this.#pass(client, { place, head, sent, rest, mask })
  }

  async #pass(client: Socket, { place, head, sent, rest, mask }: ForwardedRequest): Promise<void> {
    const upstream = await this.#dial(client, place)
    if (!upstream) return
    const name = listedHost(place.host, place.port)
    const moved = (up: number, down: number) => this.#ledger.moved(name, up, down)
    const bytes = Buffer.from(sent, 'latin1')
    upstream.write(bytes)
    moved(bytes.length, 0)
    relay(client, upstream, { first: rest, gate: new BodyGate(head.body), ...(mask && { mask }), moved })
  }

  async #admit({ host, port }: { host: string; port: number }): Promise<readonly string[]> {
    try {
      return await this.#gatekeeper.admit(host, port)
    } catch (error) {
      if (error instanceof Refusal && error.status === 403) {
        this.#ledger.denied(listedHost(host, port))
        this.options.onDenial(`${host}:${port}`, error.needed)
      }
      throw error
    }
  }

  /** Undefined when the client left. */
  async #dial(client: Socket, place: Reached): Promise<Socket | undefined> {
    const upstream = await reach(place, this.#resolve)
    this.#ledger.connected(listedHost(place.host, place.port))
    if (!client.destroyed) return upstream
    upstream.destroy()
    return undefined
  }
}

function parseAuthority(text: string, usualPort?: number): { host: string; port: number } | undefined {
  const [, name = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = normalHost(name)
  const port = digits === undefined ? usualPort : Number(digits)
  return host === undefined || port === undefined || port < 1 || port > 65_535 ? undefined : { host, port }
}

function refuse(client: Socket, status: number, sentence: string, headers: readonly string[] = []): void {
  const body = Buffer.from(`gc: ${sentence}\n`)
  const lines = [
    `HTTP/1.1 ${status} ${STATUS[status] ?? 'Refused'}`,
    ...['Content-Type: text/plain; charset=utf-8', `Content-Length: ${body.length}`, 'Connection: close'],
    ...headers,
  ]
  client.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]))
  client.resume()
  client.setTimeout(0)
  const timer = setTimeout(() => client.destroy(), REFUSAL_GRACE_MS)
  client.on('close', () => clearTimeout(timer))
}

/** This machine is reached without the proxy: gc's own API, and what the session listens on. */
const DIRECT = 'localhost,127.0.0.1,::1'
/** Each is read by some programs in capitals, by others in small letters. */
const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']

interface Proxy {
  port: number
  password: string
  rules: Pick<ProxyRules, 'env' | 'keys'>
}

/** The variables by which programs find the proxy of their session, and the addresses of their providers. */
function proxyVariables({ port, password, rules }: Proxy): Record<string, string> {
  const address = `http://gc:${password}@127.0.0.1:${port}`
  const both = [...NAMES.map((name) => [name, address] as const), ['NO_PROXY', DIRECT] as const]
  const filled = Object.entries(rules.env).map(([name, value]) => [
    name,
    withAddresses(value, port, rules.keys).replaceAll('{key}', password),
  ])
  return {
    ...Object.fromEntries(both.flatMap(([name, value]) => [name, name.toLowerCase()].map((each) => [each, value]))),
    NODE_USE_ENV_PROXY: '1',
    ...Object.fromEntries(filled),
  }
}

/** A text with the addresses at which a proxy has keys, in place of `{url:NAME}`. */
const withAddresses = (text: string, port: number, keys: ProxyRules['keys']): string =>
  keys.reduce((filled, { name }) => filled.replaceAll(`{url:${name}}`, `http://127.0.0.1:${port}/${name}`), text)

/** Headers in which programs send the keys of their providers. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']

/** The headers that a request must not bring along when gc puts in the key: another key, and what would hide this one in the answer. */
const withoutKeys: ReadonlySet<string> = new Set([...KEY_HEADERS, 'cookie', 'accept-encoding'])

/** True if a request for a provider shows the password of its session in place of a key. */
const showsPassword = ({ headers }: RequestHead, password: string): boolean =>
  KEY_HEADERS.flatMap((name) => valuesOf(headers, name)).some((value) =>
    isSameSecret(value.replace(/^Bearer +/i, ''), password),
  )

/** True if a request for the proxy has the password of its session. */
function isAuthorized({ headers }: RequestHead, password: string): boolean {
  const [value = '', ...more] = valuesOf(headers, 'proxy-authorization')
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(value) ?? []
  const decoded = Buffer.from(encoded, 'base64').toString('latin1')
  return more.length === 0 && isSameSecret(decoded.slice(decoded.indexOf(':') + 1), password)
}

/** Target of a request `/<name>/…` to a provider; undefined if it would leave the provider's address. */
function providerUrl(target: string, keys: readonly ProviderKey[]): { key: ProviderKey; url: URL } | undefined {
  const [, name, rest = ''] = /^\/([a-z][a-z0-9-]*)((?:[/?].*)?)$/.exec(target) ?? []
  const key = keys.find((each) => each.name === name)
  if (!key || rest.includes('\\')) return undefined
  const base = new URL(key.url)
  const folder = base.pathname.replace(/\/+$/, '')
  const text = `${base.origin}${folder}${rest}`
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isInside = url.pathname === folder || url.pathname.startsWith(`${folder}/`)
  return url.origin === base.origin && isInside ? { key, url } : undefined
}

/** A connection on which nothing moves is given up. */
const IDLE_MS = 15 * 60_000

interface RelayOptions {
  /** Bytes that the client has already sent. */
  first: Uint8Array
  /** Bounds what the client may send; without it, all passes until it ends. */
  gate?: BodyGate
  /** Through which the answer goes. */
  mask?: Transform
  moved(sent: number, received: number): void
}

/** Passes bytes between a client and a host, no faster than either takes them, until both are done. */
function relay(client: Socket, upstream: Socket, { first, gate, mask, moved }: RelayOptions): void {
  const end = () => {
    client.destroy()
    upstream.destroy()
  }
  for (const socket of [client, upstream]) {
    socket.on('error', end)
    socket.setTimeout(IDLE_MS, end)
  }
  client.on('close', () => upstream.destroy())
  upstream.on('data', (bytes) => moved(0, bytes.length))
  if (mask) upstream.pipe(mask).pipe(client)
  else upstream.pipe(client)
  const entry = gate ?? upstream
  if (gate) {
    gate.on('error', end)
    gate.on('data', (bytes: Buffer) => moved(bytes.length, 0))
    // The host learns from the request where it ends; some would take a closed side for a client that left.
    gate.pipe(upstream, { end: false })
  } else client.on('data', (bytes) => moved(bytes.length, 0))
  if (first.length > 0) entry.write(first)
  if (first.length > 0 && !gate) moved(first.length, 0)
  client.pipe(entry)
}

const MAX_LINE = 1024

/** Lets the body of one request through, and fails when anything comes after it: that would be another request. */
class BodyGate extends Transform {
  #left: number
  #line = ''
  #state: 'data' | 'size' | 'after' | 'trailer' | 'over'

  constructor(private readonly end_: BodyEnd) {
    super()
    this.#left = end_ === 'chunked' ? 0 : end_.length
    this.#state = end_ === 'chunked' ? 'size' : this.#left > 0 ? 'data' : 'over'
  }

  override _transform(bytes: Buffer, _encoding: string, done: TransformCallback): void {
    const wrong = this.#follow(bytes)
    if (wrong === undefined) done(null, bytes)
    else done(new Error(wrong))
  }

  #follow(bytes: Buffer): string | undefined {
    for (let at = 0; at < bytes.length; ) {
      if (this.#state === 'over') return 'there is more than the request'
      const next = this.#state === 'data' ? this.#data(bytes.length - at) : this.#lineByte(bytes[at] ?? 0)
      if (next === undefined) return 'the body is not chunked'
      at += next
    }
    return undefined
  }

  #data(available: number): number {
    const taken = Math.min(available, this.#left)
    this.#left -= taken
    if (this.#left === 0) this.#state = this.end_ === 'chunked' ? 'after' : 'over'
    return taken
  }

  /** Takes one byte of a line of the framing; answers undefined for what does not belong there. */
  #lineByte(byte: number): number | undefined {
    this.#line += String.fromCharCode(byte)
    if (this.#line.length > MAX_LINE || (byte === 0x0a && !this.#line.endsWith('\r\n'))) return undefined
    if (byte !== 0x0a) return 1
    const line = this.#line.slice(0, -2)
    this.#line = ''
    return this.#onLine(line) ? 1 : undefined
  }

  #onLine(line: string): boolean {
    if (this.#state === 'trailer') {
      if (line === '') this.#state = 'over'
      return true
    }
    if (this.#state === 'after') {
      this.#state = 'size'
      return line === ''
    }
    if (!/^[0-9a-fA-F]{1,8}(?:[ \t]*;[\t\x20-\x7e]*)?$/.test(line)) return false
    this.#left = Number.parseInt(line, 16)
    this.#state = this.#left === 0 ? 'trailer' : 'data'
    return true
  }
}
