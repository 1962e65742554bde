import type { CityClient, Client } from './client.ts'
import { type FollowOptions, follow, type Open } from './follow.ts'
import type { WireEvent } from './operations.ts'
import { isRecord } from './problem.ts'
import type { Frame } from './sse.ts'

/** What a request that was only accepted came to. */
export interface Outcome {
  type: string
  payload: Record<string, unknown>
}

/** The events of one city as they happen; resumes by itself. */
export const cityEvents = (city: CityClient, options: FollowOptions): AsyncGenerator<Frame> =>
  follow(
    opener((call) => city.send('GET ~/events/stream', call)),
    options,
  )

/** The events of all cities and of the supervisor itself. */
export const allEvents = (client: Client, options: FollowOptions): AsyncGenerator<Frame> =>
  follow(
    opener((call) => client.send('GET /v0/events/stream', call)),
    options,
  )

/** Waits for the one event that ends an accepted request; a failed one is thrown with its reason. */
export async function outcome(events: AsyncIterable<Frame>, requestId: string): Promise<Outcome> {
  for await (const { data } of events) {
    if (!isRecord(data) || !isRecord(data.payload) || data.payload.request_id !== requestId) continue
    if (data.type === 'request.failed') throw new Error(String(data.payload.error_message ?? 'the request failed'))
    return { type: String(data.type), payload: data.payload }
  }
  throw new Error('the events ended before the request did')
}

/** An event, if that is what the frame carries. */
export function eventOf({ data }: Frame): WireEvent | undefined {
  if (!isRecord(data) || typeof data.seq !== 'number' || typeof data.type !== 'string') return undefined
  return data as unknown as WireEvent
}

const opener =
  (send: (call: { headers: Record<string, string>; signal: AbortSignal }) => Promise<Response>): Open =>
  (after, signal) =>
    send({ headers: { Accept: 'text/event-stream', ...(after !== undefined && { 'Last-Event-ID': after }) }, signal })
