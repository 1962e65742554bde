import type { Deadline, Deadlines } from '../../../core/deadlines.ts'

/** Aborts what a service leaves without a sign for too long: it takes nothing of the request, and answers nothing. */
export class ResponseTimeout {
  readonly #controller = new AbortController()
  #deadline: Deadline | undefined
  #lastSign: number
  isOver = false

  constructor(
    private readonly clock: { now(): number },
    private readonly deadlines: Deadlines,
    private readonly limit: number,
    /** Aborts when the client goes away. */
    client: AbortSignal,
  ) {
    this.#lastSign = clock.now()
    const leave = () => this.#controller.abort(client.reason)
    if (client.aborted) leave()
    else client.addEventListener('abort', leave, { once: true })
    this.#arm(limit)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** A body that shows with every piece that is taken of it that the service is there. */
  watch(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await reader.read()
          this.#lastSign = this.clock.now()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    )
  }

  /** It answered: from now on it may take its time. */
  end(): void {
    this.#deadline?.cancel()
  }

  #arm(ms: number): void {
    this.#deadline = this.deadlines.after(ms, () => {
      const left = this.#lastSign + this.limit - this.clock.now()
      if (left > 0) return this.#arm(left)
      this.isOver = true
      this.#controller.abort(new Error('the service does not answer'))
    })
  }
}
