import type { OutputChunk } from '../protocol/index.ts'

type Item = OutputChunk | 'end' | 'cut'

/** The output of one session on its way to one reader. It never holds more than was granted. */
export class OutputStream {
  #items: Item[] = []
  #wake: (() => void) | undefined
  readonly #ring = (): void => {
    this.#wake?.()
    this.#wake = undefined
  }

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', this.#ring)
  }

  push(piece: OutputChunk): void {
    this.#put(piece)
  }

  /** The session is over, and this was all of it. */
  end(): void {
    this.#put('end')
  }

  /** The connection is lost; the rest may come over another. */
  cut(): void {
    this.#put('cut')
  }

  /** The next piece, once it is there; undefined when the signal was aborted first. */
  async next(): Promise<Item | undefined> {
    while (this.#items.length === 0 && !this.signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await promise
    }
    return this.signal.aborted ? undefined : this.#items.shift()
  }

  close(): void {
    this.signal.removeEventListener('abort', this.#ring)
  }

  #put(item: Item): void {
    this.#items.push(item)
    this.#ring()
  }
}
