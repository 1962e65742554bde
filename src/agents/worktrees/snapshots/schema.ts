import { type Static, Type } from '@sinclair/typebox'
import { ChangedFile } from '../schema.ts'

const LeftOutFile = Type.Object(
  {
    path: Type.String(),
    reason: Type.String(),
    bytes: Type.Integer({ description: 'Its size; 0 when unknown.' }),
  },
  { $id: 'LeftOutFile', additionalProperties: false },
)
export type LeftOutFile = Static<typeof LeftOutFile>

/** Ours: the state of a worktree at one time. */
export const WorktreeSnapshot = Type.Object(
  {
    id: Type.String({ description: '`<session>@<number>`.' }),
    session: Type.String(),
    number: Type.Integer(),
    rig: Type.String(),
    taken_at: Type.String({ format: 'date-time' }),
    reason: Type.String({ description: 'Trigger of the snapshot, or `activity`.' }),
    commit: Type.Optional(Type.String({ description: 'The commit that the worktree was on.' })),
    other_commits: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Further commits and stashes since the previous snapshot, restored as `<branch>.1` and so on.',
      }),
    ),
    branch: Type.Optional(Type.String({ description: 'The branch that was checked out.' })),
    bead_id: Type.Optional(Type.String({ description: 'The bead that the worktree was created for.' })),
    left_out: Type.Array(LeftOutFile, { description: 'Changed files that are not part of it: the first 50.' }),
    left_out_total: Type.Integer(),
    nested: Type.Array(Type.String(), {
      description: 'Repositories inside the worktree. Their files are stored, without their history.',
    }),
    without_history: Type.Optional(
      Type.String({ description: 'Reason it holds the files only, without the commits before them.' }),
    ),
  },
  { $id: 'WorktreeSnapshot', additionalProperties: false },
)
export type WorktreeSnapshot = Static<typeof WorktreeSnapshot>

export const WorktreeSnapshotList = Type.Object(
  { items: Type.Array(WorktreeSnapshot, { description: 'Newest first.' }), total: Type.Integer() },
  { $id: 'WorktreeSnapshotList', additionalProperties: false },
)
export type WorktreeSnapshotList = Static<typeof WorktreeSnapshotList>

/** Ours: what differs between two states of a worktree. */
export const SnapshotDiff = Type.Object(
  {
    from: Type.String({
      description: 'A snapshot, or the commit that the worktree was on; empty when there was none.',
    }),
    to: Type.String({ description: 'A snapshot, or `worktree`.' }),
    files: Type.Array(ChangedFile, { description: 'The first 500 files that differ.' }),
    files_total: Type.Integer({ description: 'Number of files that differ.' }),
    patch: Type.String({ description: 'The differences as a unified diff.' }),
    cut: Type.Boolean({ description: 'True if the patch is longer than this.' }),
  },
  { $id: 'SnapshotDiff', additionalProperties: false },
)
export type SnapshotDiff = Static<typeof SnapshotDiff>

export const SnapshotRestore = Type.Object(
  {
    branch: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A new branch of the rig: `gc/restored/<session>-<number>` when both are absent.',
      }),
    ),
    folder: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4096,
        description: 'The absolute path of a folder that does not exist yet. Sessions may not name one.',
      }),
    ),
  },
  { $id: 'SnapshotRestore', additionalProperties: false },
)
export type SnapshotRestore = Static<typeof SnapshotRestore>

export const RestoredSnapshot = Type.Object(
  {
    snapshot: Type.String(),
    branch: Type.Optional(Type.String()),
    commit: Type.Optional(Type.String({ description: 'The commit of the branch.' })),
    folder: Type.Optional(Type.String()),
    rig: Type.String(),
  },
  { $id: 'RestoredSnapshot', additionalProperties: false },
)
export type RestoredSnapshot = Static<typeof RestoredSnapshot>
