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
const SUPERVISOR = /^\/(health|v0|openapi\.json|docs)(\/|$)/

/** Chooses the plane by the exact beginning of the path, before any routing. */
export function createApp({ supervisor, network }: { supervisor: Side; network: Side }): App {
  return {
    supervisor,
    network,
    fetch: (request: Request, server: Server<Link>) =>
      (SUPERVISOR.test(pathOf(request.url)) ? supervisor : network).fetch(request, server),
    stop() {
      supervisor.stop()
      network.stop()
    },
  }
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return url.slice(start, end < 0 ? undefined : end)
}
