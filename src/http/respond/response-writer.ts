import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { type JsonPiece, type JsonRows, textOf } from './rendered.ts'
import { ResponseBody } from './response-body.ts'
import { type AbortableRequest, type Reservation, ResponseBudget } from './response-budget.ts'
import { MeasuredTurns } from './turns.ts'

export interface ResponseWriterOptions {
  readonly deadlines: Deadlines
  readonly budget?: ResponseBudget
  /** Maximum time a reader may take nothing before it is let go, in milliseconds. */
  readonly stallTimeoutMs?: number | undefined
}

/** A text of up to so many characters is handed over whole: the system's own buffers take it. */
const MAX_SMALL = 64 * 1024
/** Number of bytes a response that is being rendered reserves at a time. */
const GROWTH_BYTES = 1024 * 1024
/** Number of bytes a connection is sent together, which its buffers then hold: fewer when much is under way. */
const LARGE_PIECE = 512 * 1024
const SMALL_PIECE = 64 * 1024
const CROWDED = 16 * 1024 * 1024
/**
 * Maximum responses that grow beyond that simultaneously: all of them have room, so that none waits for another's
 * memory.
 */
const MAX_GROWING = 3
/** Number of more that wait for their turn to grow, and how long, in milliseconds. */
const MAX_WAITING_TO_GROW = 64
const WAIT_TO_GROW_MS = 30_000
/** Time rendering holds the loop, in milliseconds. */
const MAX_SLICE_MS = 2
/** Number of bytes of large bodies after which none are sent until the next tick: the system copies them immediately. */
const BYTES_PER_TICK = 256 * 1024

/** Time in which slow responses, or slices of large ones, begin to be rendered in one tick, in milliseconds. */
const RENDER_MS_PER_TICK = 0.2

/** A response as it is sent: a small text, or bytes that count against the budget. */
export type ResponseContent = string | ResponseBody

/** Writes responses of any size within the memory that the budget gives. */
export class ResponseWriter {
  /** Turns in which operations render slow responses. */
  readonly turns = new MeasuredTurns(RENDER_MS_PER_TICK)
  readonly #turns = new MeasuredTurns(BYTES_PER_TICK)

  readonly budget: ResponseBudget
  readonly #growing: ResponseBudget

  constructor(private readonly options: ResponseWriterOptions) {
    const { deadlines } = options
    this.budget = options.budget ?? new ResponseBudget({ deadlines })
    const turns = { limit: MAX_GROWING, maxWaiting: MAX_WAITING_TO_GROW, waitMs: WAIT_TO_GROW_MS }
    this.#growing = new ResponseBudget({ deadlines, ...turns })
  }

  /** A text whose size is known; undefined when there is no room for it now. */
  tryContent(text: string): ResponseContent | undefined {
    if (text.length <= MAX_SMALL) return text
    const reservation = this.budget.tryReserve(text.length)
    return reservation && ResponseBody.of(text, reservation)
  }

  /** The same for what has been done and must be answered. */
  content(text: string, reservation?: Reservation): ResponseContent {
    if (text.length > MAX_SMALL) return ResponseBody.of(text, reservation ?? this.budget.take(text.length))
    reservation?.release()
    return text
  }

  /** Renders rows; other work gets a turn when that takes long. */
  render(rows: JsonRows<unknown>, request?: AbortableRequest): ResponseContent | Promise<ResponseContent> {
    const pieces = rows.pieces()
    const start: JsonPiece[] = []
    let size = 0
    for (let piece = pieces.next(); !piece.done; piece = pieces.next()) {
      start.push(piece.value)
      size += piece.value.length
      if (size > MAX_SMALL) return this.#renderLarge(start, pieces, request)
    }
    return start.map(textOf).join('')
  }

  /** Sends bytes to one connection. */
  send(body: ResponseBody, disconnect: () => void): ReadableStream<Uint8Array> {
    const size = this.budget.used < CROWDED ? LARGE_PIECE : SMALL_PIECE
    const buffers = this.budget.take(size)
    return this.stream(body.pieces(size), disconnect, () => {
      buffers.release()
      body.release()
    })
  }

  /** Sends what is made piece by piece. */
  stream(pieces: BodyPieces, disconnect: () => void, onEnd = () => {}): ReadableStream<Uint8Array> {
    const { deadlines, stallTimeoutMs = 30_000 } = this.options
    return createBodyStream(pieces, { deadlines, turns: this.#turns, stallTimeoutMs, disconnect, onEnd })
  }

  async #renderLarge(
    start: readonly JsonPiece[],
    pieces: Iterator<JsonPiece, void>,
    request?: AbortableRequest,
  ): Promise<ResponseBody> {
    const reservation = await this.budget.reserve(GROWTH_BYTES, request)
    const body = new ResponseBody(reservation)
    let turn: Reservation | undefined
    try {
      for (const piece of start) body.add(piece)
      let sliceEnd = performance.now() + MAX_SLICE_MS
      for (let piece = pieces.next(); !piece.done; piece = pieces.next()) {
        body.add(piece.value)
        if (body.length > reservation.bytes) {
          turn ??= await this.#growing.reserve(1, request)
          await this.#grow(reservation, request)
        }
        if (performance.now() < sliceEnd) continue
        await this.turns.next()
        this.turns.end(MAX_SLICE_MS)
        sliceEnd = performance.now() + MAX_SLICE_MS
      }
      return body.complete()
    } catch (error) {
      body.release()
      throw error
    } finally {
      turn?.release()
    }
  }

  async #grow(reservation: Reservation, request?: AbortableRequest): Promise<void> {
    const more = await this.budget.reserve(GROWTH_BYTES, request)
    reservation.resize(reservation.bytes + more.bytes)
    more.release()
  }
}

/** The pieces of a body, there already or made one by one. */
type BodyPieces = Iterator<Uint8Array, void> | AsyncIterator<Uint8Array, void>

interface BodyStreamOptions {
  readonly deadlines: Deadlines
  /** Turns in which large responses send their next piece. */
  readonly turns: MeasuredTurns
  /** Maximum time a reader may take nothing before it is let go, in milliseconds. */
  readonly stallTimeoutMs: number
  /** Ends the connection of a reader that is let go. */
  disconnect(): void
  /** Runs once, when everything was sent or the reader is gone. */
  onEnd(): void
}

/** Sends a body piece by piece, each when the reader has taken the one before. */
function createBodyStream(pieces: BodyPieces, options: BodyStreamOptions): ReadableStream<Uint8Array> {
  const sender = new BodySender(pieces, options)
  return new ReadableStream<Uint8Array>(
    { pull: (controller) => sender.pull(controller), cancel: () => sender.end() },
    { highWaterMark: 0 },
  )
}

class BodySender {
  #stalled: Deadline
  #hasEnded = false

  constructor(
    private readonly pieces: BodyPieces,
    private readonly options: BodyStreamOptions,
  ) {
    this.#stalled = this.#arm()
  }

  /** The reader has taken everything so far. */
  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#stalled.cancel()
    const { turns } = this.options
    const { done, value } = await this.pieces.next()
    await turns.next()
    turns.end(value?.length ?? 0)
    if (this.#hasEnded) return
    if (value) controller.enqueue(value)
    if (!done) {
      this.#stalled = this.#arm()
      return
    }
    controller.close()
    this.end()
  }

  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#stalled.cancel()
    void this.pieces.return?.()
    this.options.onEnd()
  }

  #arm(): Deadline {
    const { deadlines, stallTimeoutMs } = this.options
    return deadlines.after(stallTimeoutMs, () => {
      this.options.disconnect()
      this.end()
    })
  }
}
