import type { CityClient } from '../../src/client/client.ts'
import { type RequestOutcome, waitForEvent } from '../../src/client/events.ts'
import type { FollowOptions } from '../../src/client/follow.ts'
import type { ReceivedFrame } from '../../src/client/sse.ts'
import { Exit } from '../io/exit.ts'
import { timers } from '../io/timers.ts'
import type { CommandContext } from './context.ts'

interface Accepted {
  request_id: string
  event_cursor: string
}

const TIMEOUT_MS = 120_000

/** An accepted request that takes longer than a command waits; it goes on. */
export class NotDone extends Exit {
  constructor(
    id: string,
    readonly seconds: number,
  ) {
    super(1, `request ${id} was accepted but is not done after ${seconds} s`, 'not-done')
  }
}

/** Waits until an accepted request to a city is done; throws when it failed. */
export const waitForCity = (
  context: CommandContext,
  city: CityClient,
  accepted: Accepted,
  timeoutMs = TIMEOUT_MS,
): Promise<RequestOutcome> =>
  waitForOutcome(context, accepted, timeoutMs, (options) => city.follow('GET ~/events/stream', {}, options))

/** Waits until an accepted request to the supervisor is done. */
export const waitForSupervisor = (context: CommandContext, accepted: Accepted): Promise<RequestOutcome> =>
  waitForOutcome(context, accepted, TIMEOUT_MS, (options) =>
    context.client.follow('GET /v0/events/stream', {}, options),
  )

async function waitForOutcome(
  context: CommandContext,
  { request_id, event_cursor }: Accepted,
  timeoutMs: number,
  open: (options: FollowOptions) => AsyncIterable<ReceivedFrame>,
): Promise<RequestOutcome> {
  const late = new AbortController()
  const timer = timers.after(timeoutMs, () => late.abort())
  const signal = AbortSignal.any([context.io.signal, late.signal])
  try {
    return await waitForEvent(open({ signal, timers, after: event_cursor }), request_id)
  } catch (error) {
    if (late.signal.aborted) throw new NotDone(request_id, timeoutMs / 1000)
    throw error
  } finally {
    timer.cancel()
    late.abort()
  }
}
