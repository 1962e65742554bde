import { type Static, Type } from '@sinclair/typebox'

/** Ours: the git worktree of a session. */
export const Worktree = Type.Object(
  {
    session: Type.String({ description: 'The session that it belongs to.' }),
    rig: Type.String(),
    path: Type.String(),
    branch: Type.String(),
    bead_id: Type.Optional(Type.String({ description: 'The bead that it was created for.' })),
    created_at: Type.String({ format: 'date-time' }),
    in_use: Type.Boolean({ description: 'True if its session is not over.' }),
    commit: Type.Optional(
      Type.String({ description: 'Its branch in the repository of the rig, as gc last brought it there.' }),
    ),
    kept: Type.Optional(Type.String({ description: 'Reason it was kept after its session.' })),
  },
  { $id: 'Worktree', additionalProperties: false },
)
export type Worktree = Static<typeof Worktree>

export const WorktreeList = Type.Object(
  {
    items: Type.Array(Worktree),
    total: Type.Integer(),
    limit: Type.Integer({ description: 'The maximum number of worktrees; `worktree_limit` of `[session]`.' }),
  },
  { $id: 'WorktreeList', additionalProperties: false },
)
export type WorktreeList = Static<typeof WorktreeList>

const WorktreeCommit = Type.Object(
  { id: Type.String({ description: 'Its shortened hash.' }), subject: Type.String() },
  { $id: 'WorktreeCommit', additionalProperties: false },
)
export type WorktreeCommit = Static<typeof WorktreeCommit>

export const ChangedFile = Type.Object(
  {
    path: Type.String(),
    added: Type.Optional(Type.Integer({ description: 'Lines; absent for a binary file and for a new one.' })),
    removed: Type.Optional(Type.Integer()),
    is_new: Type.Optional(Type.Boolean({ description: 'True if git does not track it yet.' })),
  },
  { $id: 'ChangedFile', additionalProperties: false },
)
export type ChangedFile = Static<typeof ChangedFile>

/** Ours: what was changed in the worktree of a session. */
export const WorktreeDiff = Type.Object(
  {
    session: Type.String(),
    branch: Type.String(),
    base: Type.String({ description: 'The branch or commit that it began from.' }),
    path: Type.String(),
    commits: Type.Array(WorktreeCommit, { description: 'The newest 100 commits since then, newest first.' }),
    files: Type.Array(ChangedFile, {
      description: 'The first 500 files that differ, those that are not tracked last.',
    }),
    files_total: Type.Integer({ description: 'Number of files that differ.' }),
    patch: Type.String({ description: 'All changes since then, committed or not, as a unified diff.' }),
    cut: Type.Boolean({ description: 'True if the patch is longer than this.' }),
  },
  { $id: 'WorktreeDiff', additionalProperties: false },
)
export type WorktreeDiff = Static<typeof WorktreeDiff>
