import type { JsonPiece } from './rendered.ts'
import type { Reservation } from './response-budget.ts'

/** Size of the first chunk in which a body is made, and of the largest; each has twice the bytes of the one before. */
const FIRST_CHUNK_BYTES = 64 * 1024
const CHUNK_BYTES = 512 * 1024
/** Bytes of so many are sent as they are; fewer are copied into a chunk. */
const MIN_SHARED = 32 * 1024

const encoder = new TextEncoder()

const NO_BYTES = new Uint8Array(0)

/** The bytes of a large response: made once, anyone who they are sent to, and reserved until the last has them. */
export class ResponseBody {
  readonly #chunks: Uint8Array<ArrayBuffer>[] = []
  /** The last chunk, and the number of its bytes that are made. */
  #chunk = NO_BYTES
  #filled = 0
  #nextSize = FIRST_CHUNK_BYTES
  #length = 0
  #holders = 1

  constructor(private readonly reservation: Reservation) {}

  /** A body that is there whole. */
  static of(text: string, reservation: Reservation): ResponseBody {
    const body = new ResponseBody(reservation)
    body.#chunk = encoder.encode(text)
    body.#filled = body.#chunk.length
    return body.complete()
  }

  add(piece: JsonPiece): void {
    if (typeof piece === 'string') this.#addText(piece)
    else this.#addBytes(piece)
  }

  /** Ends the body: nothing is added after. */
  complete(): this {
    this.#endChunk()
    this.reservation.resize(this.length)
    return this
  }

  /** Number of bytes it has so far. */
  get length(): number {
    return this.#length + this.#filled
  }

  /** The pieces of at most so many bytes in which it is sent. */
  *pieces(size: number): Generator<Uint8Array<ArrayBuffer>, void> {
    for (const chunk of this.#chunks) {
      for (let start = 0; start < chunk.length; start += size) yield chunk.subarray(start, start + size)
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

  #addText(text: string): void {
    for (let rest = text; rest !== ''; ) {
      const { read, written } = encoder.encodeInto(rest, this.#chunk.subarray(this.#filled))
      this.#filled += written
      rest = rest.slice(read)
      if (rest !== '') this.#beginChunk()
    }
  }

  #addBytes(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.length >= MIN_SHARED) {
      this.#endChunk()
      this.#chunks.push(bytes)
      this.#length += bytes.length
      return
    }
    if (this.#filled + bytes.length > this.#chunk.length) this.#beginChunk()
    this.#chunk.set(bytes, this.#filled)
    this.#filled += bytes.length
  }

  #beginChunk(): void {
    this.#endChunk()
    this.#chunk = new Uint8Array(this.#nextSize)
    this.#nextSize = Math.min(2 * this.#nextSize, CHUNK_BYTES)
  }

  #endChunk(): void {
    if (this.#filled === 0) return
    this.#chunks.push(this.#chunk.subarray(0, this.#filled))
    this.#length += this.#filled
    this.#chunk = NO_BYTES
    this.#filled = 0
  }
}
