import { TarError } from './header.ts'

/** Reads exact numbers of bytes of a stream. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  /** The next bytes, all of them. */
  async read(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    for await (const part of this.stream(length)) parts.push(part)
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  }

  /** The next bytes as they come. */
  async *stream(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0; ) {
      const chunk = await this.#next()
      if (!chunk) throw new TarError('it ends too early')
      const part = chunk.subarray(0, left)
      this.#rest = chunk.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  /** Reads what is left, so that the source is checked to its end; throws when that is more than `most`. */
  async drain(most: number): Promise<void> {
    let bytes = 0
    for (let chunk = await this.#next(); chunk; chunk = await this.#next()) {
      bytes += chunk.length
      if (bytes > most) throw new TarError('it goes on after its end')
      this.#rest = new Uint8Array(0)
    }
  }

  /** Lets go of the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#rest.length > 0) return this.#rest
    for (;;) {
      const { done, value } = await this.#chunks.next()
      if (done) return undefined
      if (value.length > 0) return value
    }
  }
}
