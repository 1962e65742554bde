import { Transform, type TransformCallback } from 'node:stream'
import type { BodyEnd } from './request-head.ts'

const MAX_LINE = 1024

/** Lets the body of one request through, and fails when anything comes after it: that would be another request. */
export class BodyGate extends Transform {
  #left: number
  #line = ''
  #state: 'data' | 'size' | 'after' | 'trailer' | 'over'

  constructor(private readonly end_: BodyEnd) {
    super()
    this.#left = end_ === 'chunked' ? 0 : end_.length
    this.#state = end_ === 'chunked' ? 'size' : this.#left > 0 ? 'data' : 'over'
  }

  override _transform(bytes: Buffer, _encoding: string, done: TransformCallback): void {
    const wrong = this.#follow(bytes)
    if (wrong === undefined) done(null, bytes)
    else done(new Error(wrong))
  }

  #follow(bytes: Buffer): string | undefined {
    for (let at = 0; at < bytes.length; ) {
      if (this.#state === 'over') return 'there is more than the request'
      const next = this.#state === 'data' ? this.#data(bytes.length - at) : this.#lineByte(bytes[at] ?? 0)
      if (next === undefined) return 'the body is no chunked one'
      at += next
    }
    return undefined
  }

  #data(available: number): number {
    const taken = Math.min(available, this.#left)
    this.#left -= taken
    if (this.#left === 0) this.#state = this.end_ === 'chunked' ? 'after' : 'over'
    return taken
  }

  /** Takes one byte of a line of the framing; answers undefined for what does not belong there. */
  #lineByte(byte: number): number | undefined {
    this.#line += String.fromCharCode(byte)
    if (this.#line.length > MAX_LINE || (byte === 0x0a && !this.#line.endsWith('\r\n'))) return undefined
    if (byte !== 0x0a) return 1
    const line = this.#line.slice(0, -2)
    this.#line = ''
    return this.#onLine(line) ? 1 : undefined
  }

  #onLine(line: string): boolean {
    if (this.#state === 'trailer') {
      if (line === '') this.#state = 'over'
      return true
    }
    if (this.#state === 'after') {
      this.#state = 'size'
      return line === ''
    }
    if (!/^[0-9a-fA-F]{1,8}(?:[ \t]*;[\t\x20-\x7e]*)?$/.test(line)) return false
    this.#left = Number.parseInt(line, 16)
    this.#state = this.#left === 0 ? 'trailer' : 'data'
    return true
  }
}
