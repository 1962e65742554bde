import { type PullSource, toPullSource } from '../core/pull-source.ts'
import { blankSecrets } from '../core/text/index.ts'
import { isRendered, JsonRows, type List, listRows, RenderedJson, toText } from './respond/index.ts'
import type { MediaBody } from './route.ts'
import { type SseFrame, type SseFrames, toSseLine } from './sse.ts'

/** Filter of secrets in responses to a caller. */
export interface SecretFilter {
  /** A text, or JSON, with every known secret replaced by the marker. */
  strike(text: string): string
}

/** For a caller whose city is not open. */
export const NO_KNOWN_SECRETS: SecretFilter = { strike: (text) => text }

interface AnswerKind {
  readonly filter: SecretFilter | undefined
  /** True if it shows declarations: those secrets go as well, that only their place identifies. */
  readonly isConfiguration: boolean
  readonly isList: boolean
}

/** A result as anyone who asked may see it; a list is written row by row. */
export function visibleAnswer(result: unknown, { filter, isConfiguration, isList }: AnswerKind): unknown {
  const value = filter && isConfiguration ? blankSecrets(isRendered(result) ? result.value : result) : result
  const rows = isList && !isRendered(value) ? listRows(value as List) : value
  if (!filter) return rows
  if (rows instanceof JsonRows) return rows.map((text) => filter.strike(text))
  return new RenderedJson(filter.strike(toText(rows)))
}

/** The frames of a stream without the known secrets; those that have none stay those that all streams share. */
export function strikeFrames(sent: SseFrames, filter: SecretFilter | undefined): PullSource<SseFrame> {
  const frames = 'take' in sent ? sent : toPullSource(sent)
  if (!filter) return frames
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

/** A text, or a stream of lines, without the known secrets. What is not text stays unchanged. */
export function strikeMedia(body: MediaBody, filter: SecretFilter | undefined, media: string): MediaBody {
  if (!filter) return body
  if (typeof body === 'string') return filter.strike(body)
  if (!/text|json/.test(media)) return body
  return body instanceof ReadableStream ? body.pipeThrough(strikeLines(filter)) : strikeBytes(body, filter)
}

const strikeBytes = (bytes: Uint8Array, filter: SecretFilter): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(filter.strike(new TextDecoder().decode(bytes)))

const LINE_FEED = 0x0a

/** Redacts whole lines, so that a secret split between two chunks is found. */
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
