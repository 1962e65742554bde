import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import type { DetailedNeed } from '../../http/needs.ts'
import { route } from '../../http/route.ts'
import { pageSize, paging } from '../../http/schema.ts'
import type { Changes } from './changes.ts'
import { ChangeList, ChangeView } from './schema.ts'

const ofOtherChanges: DetailedNeed = { needs: 'watch', ownable: 'change' }

/** The operations on changes; all of them are extensions. */
export const changeRoutes = (city: CityOf<{ changes: Changes }>) => [
  route(
    'GET ~/changes',
    {
      id: 'list-changes',
      summary: 'List changes: the work of sessions, as people review it',
      description: 'Newest first. Without `state`, those that are neither landed nor discarded.',
      needs: 'watch',
      query: Type.Object({
        ...paging,
        state: Type.Optional(
          Type.String({
            description: 'One of `working`, `ready`, `asked`, `approved`, `landed` and `discarded`, or `all`.',
          }),
        ),
        rig: Type.Optional(Type.String()),
        agent: Type.Optional(Type.String()),
        bead: Type.Optional(Type.String()),
      }),
      ok: ChangeList,
      errors: ['invalid-cursor', 'invalid-request'],
      extension: true,
    },
    (x) => city(x).changes.list({ ...x.query, limit: pageSize(x.query.limit) }),
  ),
  route(
    'GET ~/change/{id}',
    {
      id: 'show-change',
      summary: 'Show a change: commits, rounds of review, reviewers and cost',
      needs: ofOtherChanges,
      ok: ChangeView,
      errors: ['change-not-found', 'conflict-wrong-state', 'service-unavailable'],
      extension: true,
    },
    (x) => city(x).changes.show(x.params.id),
  ),
]
