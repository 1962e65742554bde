import type { CityClient } from '../../src/client/client.ts'
import { type RequestOutcome, waitForEvent } from '../../src/client/events.ts'
import type { FollowOptions } from '../../src/client/follow.ts'
import type { ReceivedFrame } from '../../src/client/sse.ts'
import { Exit, failure } from '../io/exit.ts'
import { pause } from '../io/io.ts'
import { timers } from '../io/timers.ts'
import { type CommandContext, realPath } from './context.ts'

interface Accepted {
  request_id: string
  event_cursor: string
}

const TIMEOUT_MS = 120_000

/** An accepted request that takes longer than a command waits; it continues. */
export class RequestPending extends Exit {
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

/** Interval of checks on a city that is being opened. */
const LOOK_MS = 1_000

/**
 * Waits until a city that is registered is up; throws why it is not, even where a full disk keeps the event of that.
 */
export async function waitForOpening(
  context: CommandContext,
  accepted: Accepted,
  path: string,
): Promise<RequestOutcome> {
  const over = new AbortController()
  const waiting = context.printingTo({ ...context.io, signal: AbortSignal.any([context.io.signal, over.signal]) })
  try {
    return await Promise.race([waitForSupervisor(waiting, accepted), untilFailed(context, path, over.signal)])
  } finally {
    over.abort()
  }
}

/** Throws why a city cannot be opened, as soon as it cannot. */
async function untilFailed(context: CommandContext, path: string, signal: AbortSignal): Promise<never> {
  for (;;) {
    await pause(LOOK_MS, signal)
    signal.throwIfAborted()
    const city = (await context.cities()).find((each) => realPath(each.path) === realPath(path))
    if (city?.error !== undefined && !city.running) throw failure(`${city.name} could not be opened: ${city.error}`)
  }
}

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
    if (late.signal.aborted) throw new RequestPending(request_id, timeoutMs / 1000)
    throw error
  } finally {
    timer.cancel()
    late.abort()
  }
}
