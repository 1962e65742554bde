import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import type { CityOf } from '../../http/city-of.ts'
import { ofOtherSessions } from '../../http/needs.ts'
import { route } from '../../http/route.ts'
import type { Denials } from './denials.ts'
import { DenialList, UnconfinedList } from './schema.ts'
import type { UnconfinedSessions } from './unconfined.ts'

/** The operations on the confinement of sessions; all of them are extensions. */
export const confinementRoutes = (city: CityOf<{ denials: Denials; unconfined: UnconfinedSessions }>) => [
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
  route(
    'GET ~/unconfined-sessions',
    {
      configuration: true,
      id: 'list-unconfined-sessions',
      summary: 'List running sessions that nothing confines in a city that confines others',
      description: 'Empty where no agent of the city is to be confined.',
      ok: UnconfinedList,
      extension: true,
    },
    (x) => city(x).unconfined.list(),
  ),
]
