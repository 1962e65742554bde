import { AppError } from '../../core/errors.ts'
import type { AgentCaller, Caller } from '../../http/caller.ts'
import type { Made } from '../limits/quotas.ts'
import { standingHeaders } from './traffic.ts'

/** The agent that calls: the gate lets nobody else through to an operation that is not open. */
export function agentOf({ caller }: { caller: Caller }): AgentCaller {
  if (caller.kind !== 'agent') throw new AppError('unauthorized', 'No authorization token provided')
  return caller
}

/** What is the operator's, for the operator: the gate lets nobody else through, and this does not either. */
export function operatorOf<Held>({ caller }: { caller: Caller }, held: Held): Held {
  if (caller.kind !== 'operator') throw new AppError('forbidden', 'Only the operator of this server may do this')
  return held
}

/** Tells with what was made how its limit stands now. */
export async function charged<Value>(
  { response }: { response: { headers: Record<string, string> } },
  making: Promise<Made<Value>>,
): Promise<Value> {
  const { value, quota } = await making
  Object.assign(response.headers, standingHeaders(quota))
  return value
}

/** A header with which a request can be repeated without doing it twice. */
export const repeatable = {
  'Idempotency-Key':
    'Any text of yours: the same request sent again with it gets the first one’s answer and does nothing.',
}
