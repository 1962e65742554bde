import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { ofOtherSessions } from '../../http/needs.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import { Worktree, WorktreeDiff, WorktreeList } from './schema.ts'
import type { Worktrees } from './worktrees.ts'

const MAX_PATCH_BYTES = 1024 * 1024
const PATCH_BYTES = 256 * 1024

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
    'GET ~/worktree/{session}/diff',
    {
      id: 'show-worktree-diff',
      summary: 'Show what was changed in the worktree of a session',
      description:
        'Compared with where its branch began: commits, changes that are not committed, and new files that git does not ignore. No filter, hook or other program that the repository names is run.',
      needs: ofOtherSessions('watch'),
      query: Type.Object({
        max_bytes: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_PATCH_BYTES,
            description: `The maximum size of the patch: ${PATCH_BYTES} when absent. \`cut\` says whether it goes on.`,
          }),
        ),
      }),
      ok: WorktreeDiff,
      errors: ['session-not-found', 'conflict-wrong-state', 'service-unavailable'],
      extension: true,
    },
    (x) => city(x).worktrees.diff(x.params.session, x.query.max_bytes ?? PATCH_BYTES),
  ),
  route(
    'POST ~/worktree/{session}/fetch',
    {
      id: 'fetch-worktree',
      summary: 'Bring what a session has committed into the repository of its rig',
      repeat: { outside: 'look at the branch with `gc worktree list`' },
      description:
        'Happens by itself when the bead is closed that the session works on, and before its worktree is removed. Its branch is moved there, unless somebody else changed it.',
      needs: ofOtherSessions('coordinate'),
      ok: Worktree,
      errors: ['session-not-found', 'conflict-wrong-state', 'service-unavailable'],
      extension: true,
    },
    (x) => city(x).worktrees.fetch(x.caller, x.params.session),
  ),
  route(
    'DELETE ~/worktree/{session}',
    {
      id: 'remove-worktree',
      summary: 'Remove the worktree of a session that is over',
      repeat: { outside: 'look with `gc worktree list`' },
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
