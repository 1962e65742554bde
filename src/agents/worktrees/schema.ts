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
    in_use: Type.Boolean({ description: 'Whether its session is not over.' }),
    kept: Type.Optional(Type.String({ description: 'Why it was kept after its session.' })),
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
