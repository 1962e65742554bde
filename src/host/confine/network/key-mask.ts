import { Transform, type TransformCallback } from 'node:stream'

const MASK = '*'.charCodeAt(0)

/**
 * Blanks a key where a host repeats it in its answer: a session must not read there what it does not have. Lengths stay,
 * and nothing is held back but what may be the beginning of the key.
 */
export class KeyMask extends Transform {
  readonly #key: Buffer
  #held = Buffer.alloc(0)

  constructor(key: string) {
    super()
    this.#key = Buffer.from(key, 'latin1')
  }

  override _transform(bytes: Buffer, _encoding: string, done: TransformCallback): void {
    const all = Buffer.concat([this.#held, bytes])
    for (let at = all.indexOf(this.#key); at >= 0; at = all.indexOf(this.#key, at + this.#key.length)) {
      all.fill(MASK, at, at + this.#key.length)
    }
    const end = all.length - this.#begun(all)
    this.#held = all.subarray(end)
    done(null, all.subarray(0, end))
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#held)
  }

  /** Number of bytes at the end that may start the key. */
  #begun(bytes: Buffer): number {
    const most = Math.min(this.#key.length - 1, bytes.length)
    for (let length = most; length > 0; length--) {
      if (bytes.subarray(bytes.length - length).equals(this.#key.subarray(0, length))) return length
    }
    return 0
  }
}
