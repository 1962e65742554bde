/** The last bytes of an endless output, by absolute offset. */
export class Ring {
  readonly #bytes: Uint8Array
  #end = 0

  constructor(readonly capacity: number) {
    this.#bytes = new Uint8Array(capacity)
  }

  /** Offset behind the last byte. */
  get end(): number {
    return this.#end
  }

  /** Offset of the oldest byte that is kept. */
  get oldest(): number {
    return Math.max(0, this.#end - this.capacity)
  }

  push(bytes: Uint8Array): void {
    const tail = bytes.length > this.capacity ? bytes.subarray(bytes.length - this.capacity) : bytes
    const from = (this.#end + bytes.length - tail.length) % this.capacity
    const first = Math.min(tail.length, this.capacity - from)
    this.#bytes.set(tail.subarray(0, first), from)
    this.#bytes.set(tail.subarray(first), 0)
    this.#end += bytes.length
  }

  /** A copy of at most `most` bytes from `offset` on, which must be kept still. */
  read(offset: number, most: number): Uint8Array {
    if (offset < this.oldest || offset > this.#end) throw new RangeError(`offset ${offset} is not kept`)
    const length = Math.min(most, this.#end - offset)
    const from = offset % this.capacity
    const first = Math.min(length, this.capacity - from)
    const copy = new Uint8Array(length)
    copy.set(this.#bytes.subarray(from, from + first))
    copy.set(this.#bytes.subarray(0, length - first), first)
    return copy
  }
}
