import { SESSION_CONFLICT } from '../../../host/protocol/index.ts'
import type { CityOf } from '../../../http/city-of.ts'
import { ofOtherSessions } from '../../../http/needs.ts'
import { route } from '../../../http/route.ts'
import { SessionShareList } from './schema.ts'
import type { Shares } from './shares.ts'

/** The operation on the shares that sessions have of their machine; an extension. */
export const shareRoutes = (city: CityOf<{ shares: Shares }>) => [
  route(
    'GET ~/session/{id}/share',
    {
      id: 'list-session-shares',
      summary: 'List what a running session has of its machine at most, and what holds it to that',
      description: 'What `share` of a `confine` table said when the program of the session was started.',
      needs: ofOtherSessions('watch'),
      ok: SessionShareList,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).shares.list(x.params.id),
  ),
]
