import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { ofOtherSessions } from '../../http/needs.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import { Worktree, WorktreeDiff, WorktreeList } from './schema.ts'
import { RestoredSnapshot, SnapshotDiff, SnapshotRestore, WorktreeSnapshotList } from './snapshots/schema.ts'
import type { Snapshots } from './snapshots/snapshots.ts'
import type { Worktrees } from './worktrees.ts'

const MAX_PATCH_BYTES = 1024 * 1024
const PATCH_BYTES = 256 * 1024

/** The operations on the git worktrees of sessions; all of them are extensions. */
export const worktreeRoutes = (city: CityOf<{ worktrees: Worktrees; snapshots: Snapshots }>) => [
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
      summary: 'Show changes in the worktree of a session',
      description:
        'Compared with where its branch began: commits, changes that are not committed, and new files that git does not ignore. No filter, hook or other program that the repository names is run.',
      needs: ofOtherSessions('watch'),
      query: Type.Object({
        max_bytes: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_PATCH_BYTES,
            description: `The maximum size of the patch: ${PATCH_BYTES} when absent. \`cut\` says whether there is more.`,
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
    'GET ~/worktrees/snapshots',
    {
      id: 'list-worktree-snapshots',
      summary: 'List the snapshots of all worktrees',
      description: 'The newest 500, including closed sessions.',
      needs: 'watch',
      ok: WorktreeSnapshotList,
      errors: ['service-unavailable'],
      extension: true,
    },
    (x) => city(x).snapshots.list(),
  ),
  route(
    'GET ~/worktree/{session}/snapshots',
    {
      id: 'list-session-snapshots',
      summary: 'List the snapshots of the worktree of a session',
      description:
        'gc stores the state of a worktree after its session did something, at most every 30 seconds, and before the worktree is removed or used again. It keeps the last 50 of a session for 30 days.',
      needs: ofOtherSessions('watch'),
      ok: WorktreeSnapshotList,
      errors: ['session-not-found', 'service-unavailable'],
      extension: true,
    },
    (x) => city(x).snapshots.list(x.params.session),
  ),
  route(
    'GET ~/worktree/{session}/snapshot/{number}/diff',
    {
      id: 'diff-worktree-snapshot',
      summary: 'Show changes in or since a snapshot',
      description:
        'Without `other`, what the snapshot changed in the commit that the worktree was on: all that was not committed. With it, what changed between the snapshot and `other`.',
      needs: ofOtherSessions('watch'),
      query: Type.Object({
        other: Type.Optional(
          Type.String({
            pattern: '^(?:worktree|[0-9]{1,9})$',
            description: 'The number of another snapshot of the session, or `worktree` for its present state.',
          }),
        ),
        max_bytes: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_PATCH_BYTES,
            description: `The maximum size of the patch: ${PATCH_BYTES} when absent. \`cut\` says whether there is more.`,
          }),
        ),
      }),
      ok: SnapshotDiff,
      errors: ['session-not-found', 'snapshot-not-found', 'conflict-wrong-state', 'service-unavailable'],
      extension: true,
    },
    (x) => {
      const { session, number } = x.params
      return city(x).snapshots.diff(session, Number(number), x.query.other, x.query.max_bytes ?? PATCH_BYTES)
    },
  ),
  route(
    'POST ~/worktree/{session}/snapshot/{number}/restore',
    {
      id: 'restore-worktree-snapshot',
      summary: 'Restore a snapshot into a new branch or folder',
      description: 'Never changes what is there: the branch or folder must not exist yet.',
      repeat: { outside: 'look for the branch in the rig, or for the folder' },
      needs: ofOtherSessions('coordinate'),
      body: Type.Optional(SnapshotRestore),
      ok: RestoredSnapshot,
      errors: [
        ...(['session-not-found', 'snapshot-not-found', 'invalid-request'] as const),
        ...(['conflict-wrong-state', 'forbidden', 'service-unavailable'] as const),
      ],
      longRunning: true,
      extension: true,
    },
    (x) => {
      const { session, number } = x.params
      return city(x).snapshots.restore(x.caller, session, Number(number), x.body ?? {})
    },
  ),
  route(
    'POST ~/worktree/{session}/fetch',
    {
      id: 'fetch-worktree',
      summary: 'Fetch the commits of a session into its rig',
      repeat: { outside: 'look at the branch with `gc worktree list`' },
      description:
        "Happens automatically when the session's bead is closed and before its worktree is removed. Its branch there is moved, unless someone else changed it.",
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
      summary: 'Remove the worktree of an ended session',
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
