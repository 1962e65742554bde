import { type Static, Type } from '@sinclair/typebox'

/** Maximum resources of a session: processors, bytes of memory, processes. */
export const Share = Type.Object({
  cpu: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  memory: Type.Optional(Type.Integer({ minimum: 1 })),
  pids: Type.Optional(Type.Integer({ minimum: 1 })),
})
export type Share = Static<typeof Share>

/** The enforcement of a share: a cgroup limit, a low priority under load, or none. */
export const EnforcedBy = Type.Union([Type.Literal('cgroup'), Type.Literal('priority'), Type.Literal('nothing')])
export type EnforcedBy = Static<typeof EnforcedBy>

/** One share of a session. */
export const EnforcedShare = Type.Object({
  resource: Type.Union([Type.Literal('cpu'), Type.Literal('memory'), Type.Literal('pids')]),
  most: Type.Number(),
  by: EnforcedBy,
  /** Current usage, if its cgroup reports it. */
  used: Type.Optional(Type.Number()),
})
export type EnforcedShare = Static<typeof EnforcedShare>
