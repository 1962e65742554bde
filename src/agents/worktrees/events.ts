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

export const WorktreeFetched = defineEvent(
  'bead.worktree.fetched',
  Type.Object(
    { ...where, branch: Type.String(), commit: Type.String() },
    { $id: 'BeadWorktreeFetchedPayload', additionalProperties: false },
  ),
  'What a session committed in its worktree was brought into the repository of its rig.',
)
