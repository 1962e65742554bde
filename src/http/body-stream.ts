import type { Deadline, Deadlines } from '../core/deadlines.ts'
import type { Turns } from './turns.ts'

/** The pieces of a body, there already or made one by one. */
export type BodyPieces = Iterator<Uint8Array, void> | AsyncIterator<Uint8Array, void>

export interface BodyStreamOptions {
  readonly deadlines: Deadlines
  /** Whose turn it is to be sent the next piece, of all large responses. */
  readonly turns: Turns
  /** How long a reader may take nothing before it is let go, in milliseconds. */
  readonly stallTimeoutMs: number
  /** Ends the connection of a reader that is let go. */
  disconnect(): void
  /** Runs once, when everything was sent or the reader is gone. */
  onEnd(): void
}

/** Sends a body piece by piece, each when the reader has taken the one before. */
export function createBodyStream(pieces: BodyPieces, options: BodyStreamOptions): ReadableStream<Uint8Array> {
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
    await this.options.turns.next()
    const { done, value } = await this.pieces.next()
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
