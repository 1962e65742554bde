import { type Clock, stamp } from '../core/clock.ts'
import type { Deadline, Deadlines } from '../core/deadlines.ts'

/** One server-sent event. */
export interface Frame {
  id?: string
  event: string
  /** An object, written on one line; or the line that `line()` already made of it. */
  data: unknown
  /** The frame as it travels, made by the first stream that sends it and used by all others. */
  bytes?: Uint8Array
}

const ESCAPES: Record<string, string> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** A value as the one line of JSON that a frame carries; make it once where many streams send it. */
export const line = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (found) => ESCAPES[found] ?? found)

const encoder = new TextEncoder()

/** The bytes of a frame: `id`, `event`, `data`, in that order. */
export function encode(frame: Frame): Uint8Array {
  if (frame.bytes) return frame.bytes
  const id = frame.id === undefined ? '' : `id: ${frame.id}\n`
  const data = typeof frame.data === 'string' ? frame.data : line(frame.data)
  frame.bytes = encoder.encode(`${id}event: ${frame.event}\ndata: ${data}\n\n`)
  return frame.bytes
}

/** What a stream needs beside its frames. */
export interface StreamOptions {
  readonly clock: Clock
  readonly deadlines: Deadlines
  /** Ends the stream when it aborts. */
  readonly signal: AbortSignal
  /** Hears what the frames threw after the stream began. */
  report(thrown: unknown): void
  /** Runs before a reader is let go that left unread what was sent. */
  lagged(): void
  /** Runs once, when the stream is over for whatever reason. */
  ended(): void
  /** Between heartbeats, in milliseconds. */
  readonly heartbeat?: number
  /** How long a reader may leave what was sent unread before it is let go, in milliseconds. */
  readonly patience?: number
}

export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

/** The first byte makes the server send the headers; to a reader it is a comment. */
const OPENING = encoder.encode(':\n')
/** What waits for a slow reader beside the buffers of the system, in bytes. */
const QUEUE = 64 * 1024

/** Sends frames as they come, a heartbeat when it is due, and lets go of a reader that stopped reading. */
export function stream(frames: AsyncIterable<Frame>, options: StreamOptions): ReadableStream<Uint8Array> {
  const pump = new Pump(frames[Symbol.asyncIterator](), options)
  return new ReadableStream<Uint8Array>(
    { start: (controller) => pump.start(controller), pull: () => pump.wanted(), cancel: () => pump.end() },
    new ByteLengthQueuingStrategy({ highWaterMark: QUEUE }),
  )
}

class Pump {
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #resume: (() => void) | undefined
  #beat: Deadline | undefined
  #stalled: Deadline | undefined
  #over = false
  readonly #abort = () => this.end()

  constructor(
    private readonly frames: AsyncIterator<Frame>,
    private readonly options: StreamOptions,
  ) {}

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller
    controller.enqueue(OPENING)
    this.options.signal.addEventListener('abort', this.#abort, { once: true })
    if (!this.options.signal.aborted) this.#armHeartbeat()
    this.#run().catch((thrown) => {
      if (!this.#over) this.options.report(thrown)
      this.end()
    })
  }

  /** The reader takes bytes again. */
  wanted(): void {
    this.#stalled?.cancel()
    this.#stalled = undefined
    this.#resume?.()
    this.#resume = undefined
  }

  /** Ends the stream, whoever wanted it; the frames' `return()` always runs. */
  end(): void {
    if (this.#over) return
    this.#over = true
    this.#beat?.cancel()
    this.options.signal.removeEventListener('abort', this.#abort)
    this.wanted()
    // A generator that waits for something else runs its `finally` when that settles; its failure is nobody's any more.
    this.frames.return?.()?.catch(() => {})
    try {
      this.#controller?.close()
    } catch {
      // The reader cancelled: there is nothing left to close.
    }
    this.options.ended()
  }

  async #run(): Promise<void> {
    if (this.options.signal.aborted) return this.end()
    while (!this.#over) {
      const { done, value } = await this.frames.next()
      if (this.#over) return
      if (done) return this.end()
      this.#send(encode(value))
      if (this.#full) await this.#drained()
    }
  }

  get #full(): boolean {
    return (this.#controller?.desiredSize ?? 0) <= 0
  }

  #send(bytes: Uint8Array): void {
    this.#controller?.enqueue(bytes)
  }

  #drained(): Promise<void> {
    const { deadlines, patience = 30_000 } = this.options
    this.#stalled = deadlines.after(patience, () => {
      this.options.lagged()
      this.end()
    })
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  #armHeartbeat(): void {
    const { clock, deadlines, heartbeat = 15_000 } = this.options
    this.#beat = deadlines.after(heartbeat, () => {
      this.#armHeartbeat()
      if (!this.#full) this.#send(encode({ event: 'heartbeat', data: { timestamp: second(clock) } }))
    })
  }
}

/** Now, to the second. */
const second = (clock: Clock): string => stamp(clock.now()).replace(/\.\d+Z$/, 'Z')
