import type { Server, WebSocketHandler } from 'bun'
import type { Deadlines } from '../core/deadlines.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import type { RequestHandler } from './app.ts'
import type { SocketData } from './plane-options.ts'
import type { Socket } from './route.ts'
import { IDLE_TIMEOUT_S } from './timeouts.ts'

export interface ListenOptions {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  readonly deadlines: Deadlines
  /** Takes requests of any size, for handlers that pass bodies on piece by piece; others are cut off at 128 MB. */
  readonly anySize?: boolean
  /** Lets other processes of the same user listen at the same port: the system spreads connections over them. */
  readonly sharesPort?: boolean
  /** Called with errors that no plane handled, and with those on open sockets. */
  report(error: unknown): void
}

/** A server that takes requests. */
export interface HttpListener {
  readonly host: string
  readonly port: number
  readonly url: string
  /** Takes no more, ends the streams and sockets, and gives requests under way `grace` milliseconds. */
  stop(grace?: number): Promise<void>
}

/** The longest message a socket takes, whatever its connection takes; and the most that waits for a slow one, in bytes. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024
const MAX_MESSAGE_BYTES = 1024 * 1024
const MAX_BACKLOG_BYTES = 2 * MAX_FRAME_BYTES
const GOING_AWAY = 1001
const TOO_BIG = 1009
const INTERNAL_ERROR = 1011

/** Serves an app on an address; throws a sentence for people when the address cannot be used. */
export function listen(app: RequestHandler, { host, port, deadlines, ...options }: ListenOptions): HttpListener {
  const { report } = options
  const sockets = new Set<Socket>()
  const server = bind(app, { host, port, ...options }, socketHandler(sockets, report))
  const bound = server.port ?? port
  return {
    host,
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async stop(grace = 3_000) {
      const ended = server.stop()
      app.stop()
      for (const socket of sockets) socket.close(GOING_AWAY, 'the server stops')
      const late = deadlines.after(grace, () => server.stop(true))
      await ended
      late.cancel()
    },
  }
}

function bind(
  app: RequestHandler,
  { host: hostname, port, anySize, sharesPort = false, report }: Omit<ListenOptions, 'deadlines'>,
  websocket: WebSocketHandler<SocketData>,
): Server<SocketData> {
  try {
    return Bun.serve<SocketData>({
      hostname,
      port,
      reusePort: sharesPort,
      idleTimeout: IDLE_TIMEOUT_S,
      development: false,
      ...(anySize && { maxRequestBodySize: Number.MAX_SAFE_INTEGER }),
      fetch: (request, server) => app.fetch(request, server),
      error: internalError(report),
      websocket,
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      throw new PortInUseError(hostname, port)
    throw new AppError('service-unavailable', `cannot listen on ${hostname}:${port}: ${errorMessage(error)}`)
  }
}

const internalError = (report: (error: unknown) => void) => (error: unknown) => {
  report(error)
  return new Response('internal server error\n', { status: 500, headers: { 'content-type': 'text/plain' } })
}

/** Serves an app on a Unix socket, for other processes of ours. */
export function listenOnSocket(
  app: RequestHandler,
  { path, report }: Pick<ListenOptions, 'report'> & { readonly path: string },
): { stop(): Promise<void> } {
  const server = Bun.serve<SocketData>({
    ...{ unix: path, development: false },
    fetch: (request, server) => app.fetch(request, server),
    error: internalError(report),
    websocket: socketHandler(new Set(), report),
  })
  return { stop: () => server.stop(true) }
}

/** The port is another's. */
export class PortInUseError extends AppError {
  constructor(hostname: string, port: number, why = 'another program listens there; stop it or choose another port') {
    super('service-unavailable', `cannot listen on ${hostname}:${port}: ${why}`)
  }
}

function socketHandler(sockets: Set<Socket>, report: (error: unknown) => void): WebSocketHandler<SocketData> {
  const guarded = (socket: Socket, run: () => void) => {
    try {
      run()
    } catch (error) {
      report(error)
      socket.close(INTERNAL_ERROR, 'internal server error')
    }
  }
  return {
    maxPayloadLength: MAX_FRAME_BYTES,
    backpressureLimit: MAX_BACKLOG_BYTES,
    closeOnBackpressureLimit: true,
    open(socket) {
      sockets.add(socket)
      guarded(socket, () => socket.data.connection.open?.(socket))
    },
    message(socket, data) {
      const { connection } = socket.data
      const { maxMessageBytes = MAX_MESSAGE_BYTES } = connection
      if (Buffer.byteLength(data) > maxMessageBytes)
        socket.close(TOO_BIG, `a message has ${maxMessageBytes} bytes at most`)
      else guarded(socket, () => connection.message?.(socket, data))
    },
    drain: (socket) => guarded(socket, () => socket.data.connection.drain?.(socket)),
    close(socket, code, reason) {
      sockets.delete(socket)
      guarded(socket, () => socket.data.connection.close?.(socket, code, reason))
    },
  }
}
