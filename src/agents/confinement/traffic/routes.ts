import { SESSION_CONFLICT } from '../../../host/protocol/index.ts'
import type { CityOf } from '../../../http/city-of.ts'
import { ofOtherSessions } from '../../../http/needs.ts'
import { route } from '../../../http/route.ts'
import { SessionTrafficList } from './schema.ts'
import type { Traffic } from './traffic.ts'

/** The operation on what sessions exchange with other hosts; an extension. */
export const trafficRoutes = (city: CityOf<{ traffic: Traffic }>) => [
  route(
    'GET ~/session/{id}/network',
    {
      id: 'list-session-network',
      summary: 'List network accesses of a sandboxed session',
      description:
        'Traffic through the proxy of the session over all its runs, most recent host first. It is empty without a sandbox and kept for 30 days. If the session host is killed, the traffic of the current run is lost.',
      needs: ofOtherSessions('watch'),
      ok: SessionTrafficList,
      errors: ['session-not-found', SESSION_CONFLICT],
      index: true,
      extension: true,
    },
    (x) => city(x).traffic.list(x.params.id),
  ),
]
