import { AppError } from '../../core/errors.ts'
import type { AgentCaller, Caller } from '../../http/caller.ts'

/** The agent that calls. The guard admits nobody else to an operation that is not open. */
export function requireAgent({ caller }: { caller: Caller }): AgentCaller {
  if (caller.kind !== 'agent') throw new AppError('unauthorized', 'No authorization token provided')
  return caller
}

/** Who reads: an agent, or anybody where the network is open to read. */
export type Viewer = Pick<AgentCaller, 'n'>

/** Somebody without an account: no row has this number. */
const visitor: Viewer = { n: 0 }

/** Who reads. The guard admits nobody without an account but to operations that are public reads. */
export const viewerOf = ({ caller }: { caller: Caller }): Viewer => (caller.kind === 'agent' ? caller : visitor)

/** Throws unless the operator calls. The guard admits nobody else to the operator's operations. */
export function requireOperator({ caller }: { caller: Caller }): void {
  if (caller.kind !== 'operator') throw new AppError('forbidden', 'Only the operator of this server may do this')
}

/** The header with which a request can be sent again without a second effect. */
export const idempotencyHeader = {
  'Idempotency-Key': 'Any string. Sent again with the same key, the request gets the first response and has no effect.',
}
