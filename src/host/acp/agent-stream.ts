import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import { isNestedTooDeep, MAX_WRITTEN_DEPTH } from '../../core/json-depth.ts'
import { withoutLoneSurrogates } from '../../core/json-surrogates.ts'
import { isRecord } from '../protocol/frames.ts'

/** A longer message cannot be kept whole on its way to the supervisor. */
export const MAX_MESSAGE_BYTES = 7 << 20
const NEWLINE = 0x0a

export interface AgentStreamOptions {
  input: ReadableStream<Uint8Array>
  /** Writes a line to the agent; resolves when the pipe has taken it. */
  write(line: string): Promise<void>
  /** Resolves when more may be read. */
  whenReadable(): Promise<void>
  /** The agent wrote a line that is no message. */
  onStrayLine(line: string): void
}

/**
 * Messages as lines of JSON over an agent's pipes. They are handed on one at a time, each once the one before has been
 * dealt with, so that the messages of the agent are recorded in their order.
 */
export function createAgentStream({
  input,
  write,
  whenReadable: room,
  onStrayLine: stray,
}: AgentStreamOptions): Stream {
  const lines = linesOf(input, room)
  const readable = new ReadableStream<AnyMessage>(
    {
      async pull(controller) {
        for (;;) {
          await nextTick()
          await room()
          const { done, value } = await lines.next()
          if (done) return controller.close()
          const message = parse(value)
          if (message) return controller.enqueue(message)
          if (value.trim()) stray(value)
        }
      },
    },
    { highWaterMark: 0 },
  )
  const writable = new WritableStream<AnyMessage>({
    write: (message) => write(`${JSON.stringify(message)}\n`),
  })
  return { readable, writable }
}

/** Everything that the last message set going, and that waits for nothing else, has run. */
const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function* linesOf(input: ReadableStream<Uint8Array>, room: () => Promise<void>): AsyncGenerator<string> {
  const reader = input.getReader()
  const decoder = new TextDecoder()
  let parts: Uint8Array[] = []
  let held = 0
  for (;;) {
    await room()
    const { done, value } = await reader.read()
    if (done) break
    let from = 0
    for (let end = value.indexOf(NEWLINE); end >= 0; end = value.indexOf(NEWLINE, from)) {
      parts.push(value.subarray(from, end))
      yield decoder.decode(Buffer.concat(parts))
      parts = []
      held = 0
      from = end + 1
    }
    if (from === value.length) continue
    parts.push(value.slice(from))
    held += value.length - from
    if (held > MAX_MESSAGE_BYTES) throw new Error(`the agent sent a message of more than ${MAX_MESSAGE_BYTES} bytes`)
  }
  if (held > 0) yield decoder.decode(Buffer.concat(parts))
}

function parse(line: string): AnyMessage | undefined {
  if (isNestedTooDeep(line, MAX_WRITTEN_DEPTH)) return undefined
  try {
    const message: unknown = JSON.parse(withoutLoneSurrogates(line))
    return isMessage(message) ? message : undefined
  } catch {
    return undefined
  }
}

const isMessage = (value: unknown): value is AnyMessage => isRecord(value) && value.jsonrpc === '2.0'
