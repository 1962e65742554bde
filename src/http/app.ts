import type { Server } from 'bun'
import type { Link, Plane } from './plane.ts'

/** What of a plane the server needs. */
export type Side = Pick<Plane, 'fetch' | 'stop'>

/** Both planes behind one address. */
export interface App extends Side {
  readonly supervisor: Side
  readonly network: Side
}

/** The supervisor's addresses are these; every other is the network's. */
const SUPERVISOR = /\/(health|v0|openapi\.json|docs)(?=[/?]|$)/y

/** Chooses the plane by the exact beginning of the path, before any routing. */
export function createApp({ supervisor, network }: { supervisor: Side; network: Side }): App {
  return {
    supervisor,
    network,
    fetch: (request: Request, server: Server<Link>) =>
      (isSupervisors(request.url) ? supervisor : network).fetch(request, server),
    stop() {
      supervisor.stop()
      network.stop()
    },
  }
}

function isSupervisors(url: string): boolean {
  SUPERVISOR.lastIndex = url.indexOf('/', url.indexOf('://') + 3)
  return SUPERVISOR.test(url)
}
