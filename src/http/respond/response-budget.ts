import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'

export interface ResponseBudgetOptions {
  readonly deadlines: Deadlines
  /** Maximum number of bytes the responses under way may take together. */
  readonly limit?: number
  /** Time a request waits for room, in milliseconds. */
  readonly waitMs?: number
  /** Number of requests that wait for room. */
  readonly maxWaiting?: number
}

/** Bytes that a response takes until it has been sent. */
export interface Reservation {
  readonly bytes: number
  /** Changes how many bytes it is, whether or not there is room. */
  resize(bytes: number): void
  /** Gives them back; idempotent. */
  release(): void
}

/** The request that a response is for: when it ends, no one waits any more. */
export interface AbortableRequest {
  readonly signal: AbortSignal
}

/** After how many bytes of large responses garbage is collected, while many of them are under way. */
const COLLECT_EVERY = 16 * 1024 * 1024
const COLLECT_ABOVE = 32 * 1024 * 1024

interface WaitingRequest {
  readonly bytes: number
  admit(): void
}

/** The memory of responses that are being written, for the whole process. Requests that find no room wait their turn. */
export class ResponseBudget {
  readonly #limit: number
  readonly #waiting = new Set<WaitingRequest>()
  #used = 0
  #uncollected = 0

  constructor(private readonly options: ResponseBudgetOptions) {
    this.#limit = options.limit ?? 256 * 1024 * 1024
  }

  /** Number of requests that wait for room. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Number of bytes that are reserved. */
  get used(): number {
    return this.#used
  }

  /** Reserves the bytes whether or not there is room: for what has been done and must be answered. */
  take(bytes: number): Reservation {
    this.#used += bytes
    this.#collectSoon(bytes)
    return new BudgetReservation(bytes, (difference) => this.#change(difference))
  }

  /** Reserves the bytes if there is room and no one waits for it; one response always has room. */
  tryReserve(bytes: number): Reservation | undefined {
    return this.#waiting.size === 0 && this.#hasRoom(bytes) ? this.take(bytes) : undefined
  }

  /** Reserves the bytes once there is room; throws when that takes too long or too many wait already. */
  async reserve(bytes: number, request?: AbortableRequest): Promise<Reservation> {
    const reservation = this.tryReserve(bytes)
    if (reservation) return reservation
    const { deadlines, waitMs = 10_000, maxWaiting = 1_000 } = this.options
    if (this.#waiting.size >= maxWaiting) throw overloaded()
    const signal = request?.signal
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting)
        deadline.cancel()
        signal?.removeEventListener('abort', giveUp)
      }
      const giveUp = () => {
        leave()
        reject(overloaded())
      }
      const admit = () => {
        leave()
        resolve(this.take(bytes))
      }
      const waiting: WaitingRequest = { bytes, admit }
      const deadline = deadlines.after(waitMs, giveUp)
      signal?.addEventListener('abort', giveUp, { once: true })
      this.#waiting.add(waiting)
    })
  }

  /** Triggers a collection after large responses, whose garbage the collector notices too late. */
  #collectSoon(bytes: number): void {
    this.#uncollected += bytes
    if (this.#uncollected < COLLECT_EVERY || this.#used < COLLECT_ABOVE) return
    this.#uncollected = 0
    Bun.gc(false)
  }

  #hasRoom(bytes: number): boolean {
    return this.#used === 0 || this.#used + bytes <= this.#limit
  }

  #change(difference: number): void {
    this.#used += difference
    if (difference >= 0) return
    for (const request of this.#waiting) {
      if (!this.#hasRoom(request.bytes)) return
      request.admit()
    }
  }
}

class BudgetReservation implements Reservation {
  constructor(
    public bytes: number,
    private readonly change: (difference: number) => void,
  ) {}

  resize(bytes: number): void {
    const difference = bytes - this.bytes
    this.bytes = bytes
    if (difference !== 0) this.change(difference)
  }

  release(): void {
    this.resize(0)
  }
}

const RETRY_AFTER_S = 5

const overloaded = (): AppError =>
  new AppError('service-unavailable', 'too many large responses are being sent; try again in a few seconds', {
    headers: { 'retry-after': String(RETRY_AFTER_S) },
  })
