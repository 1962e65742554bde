import type { Server } from 'bun'
import { pathOf } from './authority.ts'
import type { Plane } from './plane.ts'
import type { SocketData } from './plane-options.ts'

/** Functions of a plane that the server needs. */
export type RequestHandler = Pick<Plane, 'fetch' | 'stop'>

/** Both planes behind one address. */
export interface App extends RequestHandler {
  readonly supervisor: RequestHandler
  readonly network: RequestHandler
}

/** The supervisor's addresses are these; every other is the network's. */
const SUPERVISOR = /^\/(health|metrics|v0|openapi\.json|docs|manual)(?=\/|$)/

/** Chooses the plane by the exact beginning of the path, before any routing. */
export function createApp({ supervisor, network }: { supervisor: RequestHandler; network: RequestHandler }): App {
  return {
    supervisor,
    network,
    fetch: (request: Request, server: Server<SocketData>) =>
      (SUPERVISOR.test(pathOf(request.url)) ? supervisor : network).fetch(request, server),
    stop() {
      supervisor.stop()
      network.stop()
    },
  }
}
