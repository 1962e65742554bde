import { type Static, Type } from '@sinclair/typebox'
import { EnforcedBy, EnforcedShare } from '../../../host/protocol/index.ts'

const closed = { additionalProperties: false } as const

/** Ours: the most that a session has of one resource of its machine. */
export const SessionShare = Type.Object(
  {
    resource: EnforcedShare.properties.resource,
    most: Type.Number({ description: 'Processors, bytes of memory, or processes and threads.' }),
    used: Type.Optional(Type.Number({ description: 'Current amount; absent if it is not counted.' })),
    held_by: Type.Union(EnforcedBy.anyOf, {
      description:
        '`cgroup`: the system gives it no more. `priority`: all other programs go first where the machine is short of it. `nothing`: it is only declared.',
    }),
  },
  { $id: 'SessionShare', ...closed },
)
export type SessionShare = Static<typeof SessionShare>

export const SessionShareList = Type.Object(
  {
    session_id: Type.String(),
    items: Type.Array(SessionShare, { description: 'Empty for a session that does not run, or has no share.' }),
    total: Type.Integer(),
    reason: Type.Optional(Type.String({ description: 'Reason its cgroup does not enforce all of them.' })),
  },
  { $id: 'SessionShareList', ...closed },
)
export type SessionShareList = Static<typeof SessionShareList>
