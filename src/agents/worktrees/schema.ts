import { type Static, Type } from '@sinclair/typebox'

/** Ours: a git worktree that a session works in, or worked in. */
export const Worktree = Type.Object(
  {
    session: Type.String({ description: 'The session it was made for.' }),
    rig: Type.String(),
    path: Type.String(),
    branch: Type.String(),
    bead_id: Type.Optional(Type.String({ description: 'The work it was made for.' })),
    created_at: Type.String({ format: 'date-time' }),
    in_use: Type.Boolean({ description: 'Whether its session is not over yet.' }),
    kept: Type.Optional(Type.String({ description: 'Why it is still there although its session is over.' })),
  },
  { $id: 'Worktree', additionalProperties: false },
)
export type Worktree = Static<typeof Worktree>

export const WorktreeList = Type.Object(
  {
    items: Type.Array(Worktree),
    total: Type.Integer(),
    limit: Type.Integer({ description: 'Most of them at once; `worktree_limit` of `[session]`.' }),
  },
  { $id: 'WorktreeList', additionalProperties: false },
)
export type WorktreeList = Static<typeof WorktreeList>
