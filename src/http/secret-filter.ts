import type { PullSource } from '../core/pull-source.ts'
import { JsonRows, RenderedJson, toText } from './rendered.ts'
import type { MediaBody } from './route.ts'
import { type SseFrame, toSseLine } from './sse.ts'

/** What is struck out of answers to a caller. */
export interface SecretFilter {
  /** A text, or JSON, with every known secret replaced by the marker. */
  strike(text: string): string
}

/** For a caller whose city is not open. */
export const NO_KNOWN_SECRETS: SecretFilter = { strike: (text) => text }

/** A result as JSON without the known secrets. */
export function strikeAnswer(value: unknown, filter: SecretFilter): unknown {
  if (value instanceof JsonRows) return value.map((text) => filter.strike(text))
  return new RenderedJson(filter.strike(toText(value)))
}

/** The frames of a stream without the known secrets; those that have none stay those that all streams share. */
export function strikeFrames(frames: PullSource<SseFrame>, filter: SecretFilter): PullSource<SseFrame> {
  return {
    take() {
      const frame = frames.take()
      if (!frame) return undefined
      const line = typeof frame.data === 'string' ? frame.data : toSseLine(frame.data)
      const struck = filter.strike(line)
      if (struck === line) return frame
      return { event: frame.event, data: struck, ...(frame.id !== undefined && { id: frame.id }) }
    },
    get isDone() {
      return frames.isDone
    },
    onReady: (bell) => frames.onReady(bell),
    close: () => frames.close(),
  }
}

/** A text, or a stream of lines, without the known secrets. What is no text stays as it is. */
export function strikeMedia(body: MediaBody, filter: SecretFilter, media: string): MediaBody {
  if (typeof body === 'string') return filter.strike(body)
  if (!/text|json/.test(media)) return body
  return body instanceof ReadableStream ? body.pipeThrough(strikeLines(filter)) : strikeBytes(body, filter)
}

const strikeBytes = (bytes: Uint8Array, filter: SecretFilter): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(filter.strike(new TextDecoder().decode(bytes)))

const LINE_FEED = 0x0a

/** Strikes whole lines: no secret that is cut by a chunk is missed. */
function strikeLines(filter: SecretFilter): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  let line: Uint8Array[] = []
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(LINE_FEED) + 1
      if (end > 0) controller.enqueue(strikeBytes(Buffer.concat([...line, chunk.subarray(0, end)]), filter))
      line = end > 0 ? [chunk.subarray(end)] : [...line, chunk]
    },
    flush(controller) {
      if (line.length > 0) controller.enqueue(strikeBytes(Buffer.concat(line), filter))
    },
  })
}
