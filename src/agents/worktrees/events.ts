import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const where = { bead_id: Type.String(), path: Type.String(), rig: Type.String() }

export const WorktreeReaped = defineEvent(
  'bead.worktree.reaped',
  Type.Object({ ...where, branch: Type.String() }, { $id: 'BeadWorktreeReapedPayload', additionalProperties: false }),
  'A worktree was removed; all its work exists elsewhere.',
)

export const WorktreeReapSkipped = defineEvent(
  'bead.worktree.reap_skipped',
  Type.Object(
    { ...where, reason: Type.String() },
    { $id: 'BeadWorktreeReapSkippedPayload', additionalProperties: false },
  ),
  'A worktree was kept, because it holds work that exists nowhere else.',
)

export const WorktreeSnapshotted = defineEvent(
  'worktree.snapshotted',
  Type.Object(
    { ...where, snapshot: Type.String(), reason: Type.String(), left_out: Type.Integer() },
    { $id: 'WorktreeSnapshottedPayload', additionalProperties: false },
  ),
  'The state of a worktree was stored before something that could lose it. Those after activity are not recorded.',
)

export const WorktreeSnapshotFailed = defineEvent(
  'worktree.snapshot_failed',
  Type.Object(
    { ...where, reason: Type.String(), error: Type.String() },
    { $id: 'WorktreeSnapshotFailedPayload', additionalProperties: false },
  ),
  'The state of a worktree could not be stored. Each error is recorded once, until it works again.',
)

export const WorktreeRestored = defineEvent(
  'worktree.restored',
  Type.Object(
    {
      ...{ snapshot: Type.String(), rig: Type.String() },
      ...{ branch: Type.Optional(Type.String()), commit: Type.Optional(Type.String()) },
      folder: Type.Optional(Type.String()),
    },
    { $id: 'WorktreeRestoredPayload', additionalProperties: false },
  ),
  'A snapshot was restored into a new branch or folder.',
)

export const WorktreeFetched = defineEvent(
  'bead.worktree.fetched',
  Type.Object(
    { ...where, branch: Type.String(), commit: Type.String() },
    { $id: 'BeadWorktreeFetchedPayload', additionalProperties: false },
  ),
  "The commits of a session's worktree were fetched into the repository of its rig.",
)
