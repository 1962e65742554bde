import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import type { RequestOutcome } from '../../src/client/events.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { RequestPending, waitForCity } from '../context/requests.ts'
import { Exit } from '../io/exit.ts'
import { pause } from '../io/io.ts'

interface Accepted {
  request_id: string
  event_cursor: string
}

/** Time within which a session starts unless something keeps it waiting. */
const START_GRACE_MS = 500
const AGAIN_MS = 2_000
/** Longer than the two minutes after which the supervisor gives up, so that its reason arrives. */
const WAIT_TIMEOUT_MS = 150_000
/** Time a person who interrupts waits at most. */
const WITHDRAW_MS = 5_000

/** Waits until a requested session is up; prints the reason for the wait, and cancels the request when interrupted. */
export async function waitForSession(
  context: CommandContext,
  city: CityClient,
  accepted: Accepted,
  timeoutMs = WAIT_TIMEOUT_MS,
): Promise<RequestOutcome> {
  const over = new AbortController()
  const telling = reportWaitReason(context, city, accepted.request_id, over.signal)
  try {
    return await waitForCity(context, city, accepted, timeoutMs)
  } catch (error) {
    if (context.io.signal.aborted) await withdraw(context, city, accepted.request_id)
    throw error instanceof RequestPending ? await stillWaiting(city, accepted.request_id, error) : error
  } finally {
    over.abort()
    await telling
  }
}

/** Says what keeps a request waiting, whenever that is something else than before. */
async function reportWaitReason(
  { io }: CommandContext,
  city: CityClient,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  let told: string | undefined
  for (let wait = START_GRACE_MS; !signal.aborted; wait = AGAIN_MS) {
    await pause(wait, signal)
    const request = signal.aborted ? undefined : await open(city, id)
    if (!request || signal.aborted) return
    const { waits_for: reason } = request
    if (reason !== undefined && reason !== told) {
      io.err(`gc: session ${request.session_id} waits: ${sanitizeLine(reason)} (ctrl-c takes the request back)\n`)
    }
    told = reason
  }
}

/** Reason a session waits longer than a command does. */
async function stillWaiting(city: CityClient, id: string, late: RequestPending): Promise<Exit> {
  const request = await open(city, id)
  if (request?.waits_for === undefined) return late
  const { session_id: session, waits_for: reason } = request
  return new Exit(
    1,
    `session ${session} still waits after ${late.seconds} s: ${sanitizeLine(reason)}; \`gc session close ${session}\` takes the request back`,
    late.code,
  )
}

/** The request while it is open. */
const open = (city: CityClient, id: string) =>
  city.call('GET ~/sessions/request/{id}', { params: { id } }).catch(() => undefined)

async function withdraw({ io }: CommandContext, city: CityClient, id: string): Promise<void> {
  // What was interrupted ended the calls of this command.
  const call = { params: { id }, signal: AbortSignal.timeout(WITHDRAW_MS) }
  const sentence = await city.call('DELETE ~/sessions/request/{id}', call).then(
    () => 'the request was canceled; no session starts',
    (error: unknown) => {
      if (error instanceof ApiError) return error.sentence
      throw error
    },
  )
  io.err(`gc: ${sentence}\n`)
}
