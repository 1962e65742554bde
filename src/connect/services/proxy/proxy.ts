import type { Server } from 'bun'
import type { Clock } from '../../../core/clock.ts'
import type { Deadlines } from '../../../core/deadlines.ts'
import { AppError } from '../../../core/errors.ts'
import type { SocketData } from '../../../http/plane-options.ts'
import type { Connection, Socket } from '../../../http/route.ts'
import type { RunningService } from '../running-service.ts'
import type { ServiceProcess } from '../service-process.ts'
import { ResponseTimeout } from './response-timeout.ts'

/** A request on its way to a service. */
export interface ProxyRequest {
  readonly request: Request
  readonly server: Server<SocketData>
  readonly city: string
  readonly running: RunningService
  /** Path and query that the service sees, from `/` on. */
  readonly path: string
}

interface ProxyOptions {
  clock: Clock
  deadlines: Deadlines
}

const MAX_SHORT_BYTES = 64 * 1024
/** No one listens on the socket. */
const DOWN = new Set(['ECONNREFUSED', 'ENOENT', 'ConnectionRefused', 'FailedToOpenSocket', 'FileNotFound'])

/** Passes requests to services over their sockets, and what they answer back, without keeping any of it. */
export class ServiceProxy {
  constructor(private readonly options: ProxyOptions) {}

  async pass(passed: ProxyRequest): Promise<Response> {
    const { request, city, running, path } = passed
    const { service, process, state } = running
    if (!process && service.contract !== undefined && state.local === 'ready') {
      return answerHealth(request, path, city, service.name, service.contract)
    }
    if (!process || state.local !== 'ready') {
      return plain(503, `service ${service.name} is not ready (${state.local}): gc service show ${service.name}`)
    }
    const isUpgrade = request.headers.get('upgrade')?.toLowerCase() === 'websocket'
    return isUpgrade ? this.#upgrade(passed, process) : this.#forward(passed, process)
  }

  async #forward({ request, server, running, path }: ProxyRequest, process: ServiceProcess): Promise<Response> {
    const { clock, deadlines } = this.options
    const patience = new ResponseTimeout(clock, deadlines, running.service.responseTimeout, request.signal)
    try {
      const response = await fetch(`http://localhost${path}`, {
        method: request.method,
        headers: requestHeaders(request.headers, { address: server.requestIP(request)?.address }),
        body: request.body && (isShort(request) ? request.body : patience.watch(request.body)),
        ...{ unix: process.paths.socket, signal: patience.signal },
        ...{ redirect: 'manual', decompress: false, timeout: false },
      })
      const { status, statusText } = response
      return new Response(response.body, { status, statusText, headers: responseHeaders(response.headers) })
    } catch (error) {
      return this.#failed(error, running.service.name, process, patience)
    } finally {
      patience.end()
    }
  }

  async #upgrade({ request, server, running, path }: ProxyRequest, process: ServiceProcess): Promise<Response> {
    const { clock, deadlines } = this.options
    const patience = new ResponseTimeout(clock, deadlines, running.service.responseTimeout, request.signal)
    const protocols =
      request.headers
        .get('sec-websocket-protocol')
        ?.split(',')
        .map((each) => each.trim()) ?? []
    const headers = upgradeHeaders(request.headers, { address: server.requestIP(request)?.address })
    try {
      const upstream = await openUpstream(
        `ws+unix://${process.paths.socket}:${path}`,
        { headers, protocols },
        patience.signal,
      )
      const connection = new Bridge(upstream)
      const chosen = upstream.protocol === '' ? {} : { headers: { 'sec-websocket-protocol': upstream.protocol } }
      if (server.upgrade(request, { data: { connection }, ...chosen })) return new Response(null)
      upstream.close()
      throw new AppError('invalid-request', 'this is not a WebSocket handshake')
    } catch (error) {
      return this.#failed(error, running.service.name, process, patience)
    } finally {
      patience.end()
    }
  }

  #failed(error: unknown, name: string, process: ServiceProcess, { isOver }: ResponseTimeout): Response {
    if (error instanceof AppError) throw error
    if (isOver) {
      process.doubt('it does not answer')
      return plain(504, `service ${name} does not answer; gc service logs ${name} shows what it printed`)
    }
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (DOWN.has(code)) process.doubt('it does not accept connections on its socket')
    return plain(502, `service ${name} closed the connection; gc service show ${name} shows its state`)
  }
}

/** True if a body is taken immediately, so that no one has to see how it goes. */
function isShort({ headers }: Request): boolean {
  const length = headers.get('content-length')
  return length !== null && Number(length) <= MAX_SHORT_BYTES
}

/** Delay before a retry, in seconds. */
const RETRY_AFTER_S = 2

/** A sentence for anyone who asked, of whatever kind the program is. */
const plain = (status: 502 | 503 | 504, sentence: string): Response =>
  new Response(`${sentence}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': String(RETRY_AFTER_S) },
  })

/** Response of gc itself for a service with the contract `gc.healthz.v1`. */
function answerHealth(request: Request, path: string, city: string, service: string, contract: string): Response {
  const [pathname] = path.split('?')
  if (pathname !== '/' && pathname !== '/healthz') {
    return new Response('there is nothing at this address: GET / or /healthz\n', { status: 404 })
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return new Response('this address takes GET\n', { status: 405, headers: { allow: 'GET, HEAD' } })
  }
  const body = JSON.stringify({ ok: true, city_name: city, service, contract })
  return new Response(request.method === 'HEAD' ? null : body, { headers: { 'content-type': 'application/json' } })
}

/** Headers that are about one connection, and not about what travels on it (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** The API's own credentials: a service has no business with them. */
const CREDENTIALS = ['authorization', 'cookie']

/** Headers that would let a page of a service act on the API's origin. */
const OF_THE_ORIGIN = ['set-cookie', 'clear-site-data', 'service-worker-allowed', 'strict-transport-security']
const CORS = 'access-control-'

/** A page of a service has an origin of its own, which can read nothing of the API. */
const SANDBOX = 'sandbox allow-scripts allow-forms'

/** Sender of a request, with the requested host name. */
interface Sender {
  readonly address: string | undefined
}

/** The headers of a request as a service gets them. */
function requestHeaders(from: Headers, { address }: Sender): Headers {
  const headers = withoutHops(from)
  for (const name of CREDENTIALS) headers.delete(name)
  if (address !== undefined) {
    headers.set('x-forwarded-for', [from.get('x-forwarded-for'), address].filter(Boolean).join(', '))
  }
  const host = from.get('host')
  if (host !== null) headers.set('x-forwarded-host', host)
  // Without this, the client that asks the service would add encodings that the sender may not know.
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity')
  return headers
}

/** The headers of a WebSocket's request: what the handshake itself needs is made again. */
function upgradeHeaders(from: Headers, sender: Sender): Record<string, string> {
  const headers = requestHeaders(from, sender)
  const isOfHandshake = (name: string) => name.startsWith('sec-websocket-') || name === 'host'
  return Object.fromEntries([...headers].filter(([name]) => !isOfHandshake(name)))
}

/** The headers of a response as they leave. */
function responseHeaders(from: Headers): Headers {
  const headers = withoutHops(from)
  for (const name of OF_THE_ORIGIN) headers.delete(name)
  for (const name of [...headers.keys()]) if (name.startsWith(CORS)) headers.delete(name)
  headers.append('content-security-policy', SANDBOX)
  return headers
}

function withoutHops(from: Headers): Headers {
  const headers = new Headers(from)
  const named = from.get('connection')?.split(',') ?? []
  for (const name of [...HOP_BY_HOP, ...named.map((each) => each.trim()).filter(isName)]) headers.delete(name)
  return headers
}

const isName = (text: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text)

/** The longest message that goes through, in bytes: as much as servers take on their own. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** As much may wait for a service that reads slowly, in bytes. */
const MAX_WAITING = 2 * MAX_MESSAGE_BYTES
/** As many messages may come before the client's side is open. */
const MAX_EARLY = 100
const TRY_LATER = 1013
const GOING_AWAY = 1001

/** A close code that may be sent; those that only describe a lost connection may not. */
const sendable = (code: number): number =>
  code >= 1000 && code <= 4999 && ![1004, 1005, 1006, 1015].includes(code) ? code : GOING_AWAY

/** Passes messages between a client and a service, each as it comes. */
class Bridge implements Connection {
  readonly maxMessageBytes = MAX_MESSAGE_BYTES
  #client: Socket | undefined
  #early: (string | Uint8Array<ArrayBuffer>)[] = []
  #closed: { code: number; reason: string } | undefined

  constructor(private readonly service: WebSocket) {
    service.binaryType = 'arraybuffer'
    service.addEventListener('message', ({ data }) => this.#deliver(toMessage(data)))
    service.addEventListener('close', ({ code, reason }) => this.#end(sendable(code), reason))
  }

  open(client: Socket): void {
    this.#client = client
    for (const message of this.#early) client.send(message)
    this.#early = []
    if (this.#closed) client.close(this.#closed.code, this.#closed.reason)
  }

  message(_client: Socket, data: string | Uint8Array): void {
    if (this.service.bufferedAmount > MAX_WAITING) this.#end(TRY_LATER, 'the service reads too slowly')
    else this.service.send(typeof data === 'string' ? data : Uint8Array.from(data))
  }

  close(_client: Socket, code: number, reason: string): void {
    this.#client = undefined
    this.service.close(sendable(code) === code ? code : 1000, reason)
  }

  #deliver(message: string | Uint8Array<ArrayBuffer>): void {
    if (this.#client) this.#client.send(message)
    else if (this.#early.length < MAX_EARLY) this.#early.push(message)
    else this.#end(TRY_LATER, 'too much came before the connection was open')
  }

  #end(code: number, reason: string): void {
    this.#closed = { code, reason }
    this.#client?.close(code, reason)
    if (this.service.readyState === WebSocket.OPEN) this.service.close(1000)
  }
}

function toMessage(data: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof data === 'string') return data
  return data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array()
}

/** Opens a WebSocket to a service; rejects when the service does not take it. */
function openUpstream(
  url: string,
  options: { headers: Record<string, string>; protocols: string[] },
  signal: AbortSignal,
): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const upstream = new WebSocket(url, options)
    const refuse = () => reject(new Error('the service does not take a WebSocket here'))
    upstream.addEventListener('open', () => resolve(upstream), { once: true })
    upstream.addEventListener('error', refuse, { once: true })
    upstream.addEventListener('close', refuse, { once: true })
    signal.addEventListener(
      'abort',
      () => {
        reject(signal.reason)
        upstream.close()
      },
      { once: true },
    )
  })
}
