import { type Static, Type } from '@sinclair/typebox'

/** What a confined program may do; what is not listed it may not. Every path is absolute and has no links in it. */
export const Policy = Type.Object({
  /** Files and folders that it may read and run, with all that is in them. */
  read: Type.Array(Type.String()),
  /** Files and folders that it may also change. */
  write: Type.Array(Type.String()),
  /**
   * `session`: it reaches what it listens on itself and the ports of this machine that are listed. `open`: every
   * address but those of link-local services, which hand out keys of this machine. `none`: it makes no sockets, and
   * needs nobody to ask, since what would be asked about is refused.
   */
  network: Type.Union([Type.Literal('session'), Type.Literal('open'), Type.Literal('none')]),
  /** Ports on loopback that it may connect to. */
  ports: Type.Array(Type.Integer({ minimum: 1, maximum: 65535 })),
})
export type Policy = Static<typeof Policy>
