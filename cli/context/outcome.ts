import type { CityClient } from '../../src/client/client.ts'
import { type Outcome, outcome } from '../../src/client/events.ts'
import type { FollowOptions } from '../../src/client/follow.ts'
import type { Frame } from '../../src/client/sse.ts'
import { failure } from '../io/exit.ts'
import { timers } from '../io/timers.ts'
import type { Here } from './context.ts'

interface Accepted {
  request_id: string
  event_cursor: string
}

const PATIENCE_MS = 120_000

/** Waits until what was accepted for a city is done; its failure is thrown. */
export const done = (here: Here, city: CityClient, accepted: Accepted): Promise<Outcome> =>
  bounded(here, accepted, (options) => city.follow('GET ~/events/stream', {}, options))

/** The same for what the supervisor does: cities that come and go. */
export const doneBySupervisor = (here: Here, accepted: Accepted): Promise<Outcome> =>
  bounded(here, accepted, (options) => here.client.follow('GET /v0/events/stream', {}, options))

async function bounded(
  here: Here,
  { request_id, event_cursor }: Accepted,
  open: (options: FollowOptions) => AsyncIterable<Frame>,
): Promise<Outcome> {
  const late = new AbortController()
  const timer = timers.after(PATIENCE_MS, () => late.abort())
  const signal = AbortSignal.any([here.io.signal, late.signal])
  try {
    return await outcome(open({ signal, timers, after: event_cursor }), request_id)
  } catch (error) {
    if (late.signal.aborted)
      throw failure(`it was accepted (${request_id}) but is not done after ${PATIENCE_MS / 1000} s`)
    throw error
  } finally {
    timer.cancel()
    late.abort()
  }
}
