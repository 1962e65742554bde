import type { Server } from 'bun'
import type { Clock } from '../../../core/clock.ts'
import type { Deadlines } from '../../../core/deadlines.ts'
import { AppError } from '../../../core/errors.ts'
import type { SocketData } from '../../../http/plane-options.ts'
import type { RunningService } from '../running-service.ts'
import type { ServiceProcess } from '../service-process.ts'
import { Bridge, openUpstream } from './bridge.ts'
import { requestHeaders, responseHeaders, upgradeHeaders } from './headers.ts'
import { answerHealth } from './health-contract.ts'
import { Patience } from './patience.ts'
import { plain } from './plain.ts'

/** A request on its way to a service. */
export interface ProxyRequest {
  readonly request: Request
  readonly server: Server<SocketData>
  readonly city: string
  readonly running: RunningService
  /** What the service sees: path and query, from `/` on. */
  readonly path: string
}

interface ProxyOptions {
  clock: Clock
  deadlines: Deadlines
}

const MAX_SHORT_BYTES = 64 * 1024
/** Nobody listens on the socket. */
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
    const patience = new Patience(clock, deadlines, running.service.responseTimeout, request.signal)
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
    const patience = new Patience(clock, deadlines, running.service.responseTimeout, request.signal)
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

  #failed(error: unknown, name: string, process: ServiceProcess, { isOver }: Patience): Response {
    if (error instanceof AppError) throw error
    if (isOver) {
      process.doubt('it does not answer')
      return plain(504, `service ${name} does not answer; gc service logs ${name} shows what it printed`)
    }
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (DOWN.has(code)) process.doubt('it does not accept connections on its socket')
    return plain(502, `service ${name} broke the connection off; gc service show ${name} tells its state`)
  }
}

/** Whether a body is taken at once, so that nobody has to see how it goes. */
function isShort({ headers }: Request): boolean {
  const length = headers.get('content-length')
  return length !== null && Number(length) <= MAX_SHORT_BYTES
}
