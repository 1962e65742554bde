import { SESSION_CONFLICT } from '../../host/protocol/errors.ts'
import type { CityOf } from '../../http/city-of.ts'
import { ofOtherSessions } from '../../http/needs.ts'
import { route } from '../../http/route.ts'
import type { Denials } from './denials.ts'
import { DenialList } from './schema.ts'

/** The operations on the confinement of sessions; all of them are extensions. */
export const confinementRoutes = (city: CityOf<{ denials: Denials }>) => [
  route(
    'GET ~/session/{id}/denials',
    {
      id: 'list-session-denials',
      summary: 'List what a confined session was refused',
      description:
        'Connections, sockets, modes and owners of files, signals and priorities that gc refused, until the session is closed. What the kernel itself refuses, such as opening a file, it tells nobody; it is not here.',
      needs: ofOtherSessions('watch'),
      ok: DenialList,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).denials.list(x.params.id),
  ),
]
