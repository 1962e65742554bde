import { type Route, route } from '../../server/route.ts'
import type { CityOf } from '../city.ts'
import { AttentionList } from './schema.ts'

/** The operation on what waits for people. */
export const attentionRoutes = (city: CityOf): Route[] => [
  route(
    'GET ~/attention',
    {
      id: 'list-attention',
      summary: 'List what waits for a person',
      description:
        'Permissions that agents ask for, dialogs that their programs show, and agents that cannot be started; the longest first.',
      ok: AttentionList,
      index: true,
      extension: true,
    },
    (x) => city(x).attention.list(),
  ),
]
