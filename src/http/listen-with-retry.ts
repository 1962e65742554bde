import { connect } from 'node:net'
import type { RequestHandler } from './app.ts'
import { type HttpListener, type ListenOptions, listen, PortInUseError } from './listen.ts'

const RETRY_INTERVAL_MS = 100
/** Maximum wait for a port that is taken although no one listens on it. */
const MAX_WAIT_MS = 2_000
const HELD_BY_CONNECTION =
  'a connection holds the port, though no program listens there; try again in a minute or choose another port'

/**
 * Serves an app on an address. A connection that left from this port, also one that is closed and not yet forgotten by
 * the system, blocks it for everybody else: this waits briefly for it, and distinguishes it from a program that
 * listens.
 */
export async function listenWithRetry(app: RequestHandler, options: ListenOptions): Promise<HttpListener> {
  for (let waited = 0; ; waited += RETRY_INTERVAL_MS) {
    try {
      return listen(app, options)
    } catch (error) {
      if (!(error instanceof PortInUseError) || (await acceptsConnections(options))) throw error
      if (waited >= MAX_WAIT_MS) throw new PortInUseError(options.host, options.port, HELD_BY_CONNECTION)
    }
    await options.deadlines.sleep(RETRY_INTERVAL_MS)
  }
}

/** Throws when another program listens on an address: known before anything is done that a start announces. */
export async function requireUnused(options: Pick<ListenOptions, 'host' | 'port' | 'deadlines'>): Promise<void> {
  if (options.port === 0 || !(await acceptsConnections(options))) return
  throw new PortInUseError(options.host, options.port)
}

/** True if a program takes connections there; one that is slow to do so counts. */
function acceptsConnections({
  host,
  port,
  deadlines,
}: Pick<ListenOptions, 'host' | 'port' | 'deadlines'>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host, port })
  const late = deadlines.after(MAX_WAIT_MS, () => resolve(true))
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
  return promise.finally(() => {
    late.cancel()
    socket.destroy()
  })
}
