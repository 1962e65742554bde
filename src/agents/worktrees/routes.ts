import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import { WorktreeList } from './schema.ts'
import type { Worktrees } from './worktrees.ts'

/** The operations on the git worktrees of sessions; all of them are extensions. */
export const worktreeRoutes = (city: CityOf<{ worktrees: Worktrees }>) => [
  route(
    'GET ~/worktrees',
    {
      id: 'list-worktrees',
      summary: 'List the git worktrees of sessions',
      description: 'Worktrees in use, and those that were kept because they hold work that exists nowhere else.',
      ok: WorktreeList,
      extension: true,
    },
    (x) => city(x).worktrees.list(),
  ),
  route(
    'DELETE ~/worktree/{session}',
    {
      id: 'remove-worktree',
      summary: 'Remove the worktree of a session that is over',
      needs: 'operator',
      query: Type.Object({
        force: Type.Optional(
          Type.Boolean({ description: 'Removes it also when it holds work that exists nowhere else, which is lost.' }),
        ),
      }),
      ok: OKResponseBody,
      errors: ['session-not-found', 'conflict-wrong-state', 'forbidden', 'service-unavailable'],
      extension: true,
    },
    (x) => city(x).worktrees.remove(x.caller, x.params.session, x.query.force ?? false),
  ),
]
