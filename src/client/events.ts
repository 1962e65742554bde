import { isRecord } from './json.ts'
import type { FrameOf } from './operations.ts'
import type { ReceivedFrame } from './sse.ts'

/** A frame of the events of one city. */
export type CityFrame = FrameOf<'GET ~/events/stream'>
/** A frame of the events of all cities and of the supervisor itself. */
export type TaggedFrame = FrameOf<'GET /v0/events/stream'>

/** The event that ended an accepted request. */
export interface RequestOutcome {
  type: string
  payload: Record<string, unknown>
}

/** Waits for the one event that ends an accepted request; throws the reason of a failed one. */
export async function waitForEvent(frames: AsyncIterable<ReceivedFrame>, requestId: string): Promise<RequestOutcome> {
  for await (const { data } of frames) {
    if (!isRecord(data) || !isRecord(data.payload) || data.payload.request_id !== requestId) continue
    const type = String(data.type)
    if (type === 'request.failed') throw new Error(String(data.payload.error_message ?? 'the request failed'))
    // Its progress carries its id as well.
    if (type.startsWith('request.result.')) return { type, payload: data.payload }
  }
  throw new Error('the events ended before the request did')
}
