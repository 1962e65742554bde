import { randomBytes } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { type Clock, systemClock } from '../../../core/clock.ts'
import { errorMessage } from '../../../core/errors.ts'
import { normalHost } from '../../../core/host-rules.ts'
import type { AskedHost, HostAnswer, HostTraffic, ProxyRules } from '../../protocol/proxy.ts'
import { BodyGate } from './body-gate.ts'
import { type Resolve, systemResolve } from './dial.ts'
import { Gatekeeper, Refusal } from './gatekeeper.ts'
import { HostConsent } from './host-consent.ts'
import { KeyMask } from './key-mask.ts'
import { isAuthorized, providerUrl, showsPassword, withoutKeys } from './keys.ts'
import { Ledger, listedHost } from './ledger.ts'
import { OuterRoutes } from './outer-proxy.ts'
import { proxyVariables, withAddresses } from './proxy-variables.ts'
import { relay } from './relay.ts'
import { MAX_HEAD_BYTES, parseHead, type RequestHead, rewrittenHead, splitHead } from './request-head.ts'
import { plainTarget, type Reached, reach } from './tunnel.ts'

const MAX_CONNECTIONS = 256
const HEAD_MS = 15_000
/** How long a client may take to read why it was refused. */
const LAST_WORD_MS = 2_000

const STATUS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  407: 'Proxy Authentication Required',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

/** How programs ask providers. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** How the passwords of proxies begin. */
export const PROXY_PASSWORD_PREFIX = 'gcp_'

export interface SessionProxyOptions {
  rules: ProxyRules
  clock?: Clock
  resolve?: Resolve
  /** Is told of a host that was refused, and of what would have to be allowed for it: nothing where that would not help. */
  onDenial(host: string, needed: readonly string[]): void
  /** Is told of the host that a person is asked about now; of none when nobody is asked. */
  onAsked?(asked: AskedHost | undefined): void
  /** How long a connection waits for a person, in milliseconds. */
  patience?: number
}

/** A request that is passed on. */
interface Passed {
  place: Reached
  head: RequestHead
  /** Its head, as the host gets it. */
  sent: string
  /** What was read behind its head. */
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

  /** What the session exchanged with each host so far. */
  get traffic(): HostTraffic[] {
    return this.#ledger.rows
  }

  /** The host that a person is asked about now. */
  get asked(): AskedHost | undefined {
    return this.#consent?.current
  }

  /** Takes what a person says of a host; false when nobody is asked about it. */
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
      refuse(client, 503, `a session has at most ${MAX_CONNECTIONS} connections at once`)
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
      else refuse(client, 400, 'that is no request which a proxy can pass on')
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
    if (!to) throw new Refusal(400, 'the request names no host that a proxy can reach; for https it has to be CONNECT')
    const outer = this.#routes.to(to.host, to.port, { isPlain: true })
    const place = { ...to, outer, isPlain: true, isTls: false, addresses: await this.#admit(to) }
    const { target, shown } = plainTarget(outer, authority, path.startsWith('/') ? path : `/${path}`)
    const sent = rewrittenHead(head, target, authority, { with: shown })
    await this.#pass(client, { place, head, sent, rest })
  }

  async #tunnel(client: Socket, { target }: RequestHead, rest: Buffer): Promise<void> {
    const to = parseAuthority(target)
    if (!to) throw new Refusal(400, `${target} is no host and port`)
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
    if (!found) throw new Refusal(403, 'this is no address of a provider whose key gc has for this session')
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

  async #pass(client: Socket, { place, head, sent, rest, mask }: Passed): Promise<void> {
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

  /** Undefined when the client left meanwhile. */
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
  const timer = setTimeout(() => client.destroy(), LAST_WORD_MS)
  client.on('close', () => clearTimeout(timer))
}
