import type { JsonPiece } from './rendered.ts'
import type { Reservation } from './response-budget.ts'

/** Number of characters that are made bytes together. */
const MAX_TEXT = 512 * 1024

const encoder = new TextEncoder()

/** The bytes of a large response: made once, anyone who they are sent to, and reserved until the last has them. */
export class ResponseBody {
  readonly #chunks: Uint8Array<ArrayBuffer>[] = []
  #text = ''
  #length = 0
  #holders = 1

  constructor(private readonly reservation: Reservation) {}

  /** A body that is there whole. */
  static of(text: string, reservation: Reservation): ResponseBody {
    const body = new ResponseBody(reservation)
    body.add(text)
    return body.complete()
  }

  add(piece: JsonPiece): void {
    if (typeof piece === 'string') this.#text += piece
    if (typeof piece !== 'string' || this.#text.length >= MAX_TEXT) this.#encode()
    if (typeof piece !== 'string') this.#push(piece)
  }

  /** Ends the body: nothing is added after. */
  complete(): this {
    this.#encode()
    this.reservation.resize(this.length)
    return this
  }

  /** Number of bytes it has so far, but for the last text. */
  get length(): number {
    return this.#length
  }

  /** The pieces of at most so many bytes in which it is sent: those of one chunk have the same size. */
  *pieces(size: number): Generator<Uint8Array<ArrayBuffer>, void> {
    for (const chunk of this.#chunks) {
      const step = Math.ceil(chunk.length / Math.ceil(chunk.length / size))
      for (let start = 0; start < chunk.length; start += step) yield chunk.subarray(start, start + step)
    }
  }

  /** Checksum of these bytes. */
  hash(): bigint {
    return this.#chunks.reduce((hash, chunk) => Bun.hash.wyhash(chunk, hash), 0n)
  }

  /** Keeps the bytes reserved for so many more. */
  hold(more: number): void {
    this.#holders += more
  }

  /** One of those that held it needs it no more. */
  release(): void {
    this.#holders--
    if (this.#holders === 0) this.reservation.release()
  }

  #encode(): void {
    if (this.#text === '') return
    const text = this.#text
    this.#text = ''
    this.#push(encoder.encode(text))
  }

  #push(chunk: Uint8Array<ArrayBuffer>): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
  }
}
