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
      summary: 'List resource limits of running sessions',
      description: "Value of `share` in the `confine` table when the session's program started.",
      needs: ofOtherSessions('watch'),
      ok: SessionShareList,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).shares.list(x.params.id),
  ),
]
