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
      summary: 'List the hosts that a confined session reached or was refused',
      description:
        'What went through the proxy of the session, all of its runs together, the host that it last had to do with first; empty for a session that is not confined. Kept for 30 days. What a run exchanged is lost with a session host that is killed.',
      needs: ofOtherSessions('watch'),
      ok: SessionTrafficList,
      errors: ['session-not-found', SESSION_CONFLICT],
      index: true,
      extension: true,
    },
    (x) => city(x).traffic.list(x.params.id),
  ),
]
