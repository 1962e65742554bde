import type { Actor } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { gcFor } from '../../http/actor-of.ts'
import type { AgentCaller, Caller } from '../../http/caller.ts'

/** The agent that calls. The guard admits no one else to an operation that is not open. */
export function requireAgent({ caller }: { caller: Caller }): AgentCaller {
  if (caller.kind !== 'agent') throw new AppError('unauthorized', 'No authorization token provided')
  return caller
}

/** Reader: an agent, or anyone if the network is open to read. */
export type Viewer = Pick<AgentCaller, 'n'>

/** Somebody without an account: no row has this number. */
const visitor: Viewer = { n: 0 }

/** Reader of a request. The guard admits no one without an account but to operations that are public reads. */
export const viewerOf = ({ caller }: { caller: Caller }): Viewer => (caller.kind === 'agent' ? caller : visitor)

/** The actor of what the operator asks for. The guard admits no one else to the operator's operations. */
export function requireOperator({ caller }: { caller: Caller }): Actor {
  if (caller.kind !== 'operator') throw new AppError('forbidden', 'Only the operator of this server may do this')
  return gcFor(caller)
}
