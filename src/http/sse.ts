import { type Clock, toSecond } from '../core/clock.ts'
import type { Deadline, Deadlines } from '../core/deadlines.ts'
import type { PullSource } from '../core/pull-source.ts'

/** One server-sent event. */
export interface SseFrame {
  id?: string
  event: string
  /** An object, written on one line; or the line that `line()` already made of it. */
  data: unknown
  /** The frame as it travels, made by the first stream that sends it and used by all others. */
  bytes?: Uint8Array
}

/** Frames of a stream: available ones, or ones that arrive one by one. */
export type SseFrames = PullSource<SseFrame> | AsyncIterable<SseFrame>

const ESCAPES: Record<string, string> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** A value as the one line of JSON that a frame carries; make it once where many streams send it. */
export const toSseLine = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (char) => ESCAPES[char] ?? char)

const encoder = new TextEncoder()

/** The bytes of a frame: `id`, `event`, `data`, in that order. */
export function encodeSseFrame(frame: SseFrame): Uint8Array {
  if (frame.bytes) return frame.bytes
  const id = frame.id === undefined ? '' : `id: ${frame.id}\n`
  const data = typeof frame.data === 'string' ? frame.data : toSseLine(frame.data)
  frame.bytes = encoder.encode(`${id}event: ${frame.event}\ndata: ${data}\n\n`)
  return frame.bytes
}

/** Options of a stream besides its frames. */
export interface StreamOptions {
  readonly clock: Clock
  readonly deadlines: Deadlines
  /** Ends the stream when it aborts. */
  readonly signal: AbortSignal
  /** Called with what the frames threw after the stream began. */
  report(error: unknown): void
  /** Runs before a reader is let go that left unread what was sent. */
  onStalled(): void
  /** Runs once, when the stream is over for whatever reason. */
  onEnd(): void
  /** Between heartbeats, in milliseconds. */
  readonly heartbeat?: number
  /** Maximum time a reader may leave what was sent unread before it is let go, in milliseconds. */
  readonly stallTimeoutMs?: number
}

export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

/** The first byte makes the server send the headers; to a reader it is a comment. */
const OPENING = encoder.encode(':\n')
/** Maximum bytes that wait for a slow reader besides system buffers. */
const MAX_QUEUED_BYTES = 64 * 1024

/** Sends frames as they come, a heartbeat when it is due, and lets go of a reader that stopped reading. */
export function createSseStream(frames: PullSource<SseFrame>, options: StreamOptions): ReadableStream<Uint8Array> {
  const pump = new SseWriter(frames, options)
  return new ReadableStream<Uint8Array>(
    { start: (controller) => pump.start(controller), pull: () => pump.pull(), cancel: () => pump.end() },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_QUEUED_BYTES }),
  )
}

class SseWriter {
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #heartbeat: Deadline | undefined
  /** Set while the reader has more to read than it is sent immediately. */
  #stalled: Deadline | undefined
  /** Result of `wanted`, until the reader has enough. */
  #enough: PromiseWithResolvers<void> | undefined
  #isScheduled = false
  #over = false
  readonly #abort = () => this.end()
  readonly #flush = () => this.#send()
  /** Bytes sent since others last had a tick of the event loop. */
  #portion = 0
  readonly #resume = () => {
    this.#portion = 0
    this.#send()
  }

  constructor(
    private readonly frames: PullSource<SseFrame>,
    private readonly options: StreamOptions,
  ) {}

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller
    controller.enqueue(OPENING)
    if (this.options.signal.aborted) {
      this.end()
      return
    }
    this.options.signal.addEventListener('abort', this.#abort, { once: true })
    this.#armHeartbeat()
    this.frames.onReady(() => this.#schedule())
    this.#schedule()
  }

  /** The reader takes bytes again. Resolves when it has as many as it is sent together: until then it need not ask. */
  pull(): Promise<void> {
    this.#enough = Promise.withResolvers()
    if (this.#stalled) this.#schedule()
    this.#stalled?.cancel()
    this.#stalled = undefined
    return this.#enough.promise
  }

  /** Ends the stream, anyone who wanted it. */
  end(): void {
    if (this.#over) return
    this.#over = true
    this.#heartbeat?.cancel()
    this.#stalled?.cancel()
    this.options.signal.removeEventListener('abort', this.#abort)
    this.frames.close()
    try {
      this.#controller?.close()
    } catch {
      // The reader cancelled: there is nothing left to close.
    }
    this.options.onEnd()
  }

  /** Frames that arrive together are sent together, at the end of this tick. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(this.#flush)
  }

  #send(): void {
    this.#isScheduled = false
    try {
      while (!this.#over && !this.#stalled && this.#portion < MAX_QUEUED_BYTES) {
        const frame = this.frames.take()
        if (frame === undefined) break
        const bytes = encodeSseFrame(frame)
        this.#portion += bytes.length
        this.#controller?.enqueue(bytes)
        if (this.#full) this.#stall()
      }
      if (this.frames.isDone) this.end()
      else if (this.#portion >= MAX_QUEUED_BYTES && !this.#stalled) this.#sendLater()
    } catch (error) {
      if (!this.#over) this.options.report(error)
      this.end()
    }
  }

  /** A long history goes out in portions, each in a tick of its own. */
  #sendLater(): void {
    this.#isScheduled = true
    setImmediate(this.#resume)
  }

  get #full(): boolean {
    return (this.#controller?.desiredSize ?? 0) <= 0
  }

  #stall(): void {
    const { deadlines, stallTimeoutMs = 30_000 } = this.options
    this.#enough?.resolve()
    this.#stalled = deadlines.after(stallTimeoutMs, () => {
      this.options.onStalled()
      this.end()
    })
  }

  #armHeartbeat(): void {
    const { clock, deadlines, heartbeat = 15_000 } = this.options
    this.#heartbeat = deadlines.after(heartbeat, () => {
      this.#armHeartbeat()
      if (!this.#full)
        this.#controller?.enqueue(encodeSseFrame({ event: 'heartbeat', data: { timestamp: toSecond(clock.now()) } }))
    })
  }
}
