import { type Static, Type } from '@sinclair/typebox'

/** The most that a session has of its machine: processors, bytes of memory, processes. */
export const Share = Type.Object({
  cpu: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  memory: Type.Optional(Type.Integer({ minimum: 1 })),
  pids: Type.Optional(Type.Integer({ minimum: 1 })),
})
export type Share = Static<typeof Share>

/**
 * What holds a session to a share: its cgroup gives it no more; by its priority all others go first where the machine
 * is short of it; or nothing does.
 */
export const HeldBy = Type.Union([Type.Literal('cgroup'), Type.Literal('priority'), Type.Literal('nothing')])
export type HeldBy = Static<typeof HeldBy>

/** One share of a session. */
export const HeldShare = Type.Object({
  resource: Type.Union([Type.Literal('cpu'), Type.Literal('memory'), Type.Literal('pids')]),
  most: Type.Number(),
  by: HeldBy,
  /** How much it has now, where its cgroup knows. */
  used: Type.Optional(Type.Number()),
})
export type HeldShare = Static<typeof HeldShare>
