/**
 * What a byte of terminal output is: a character, part of an escape sequence whose end is to come, the end of one that
 * only changes how characters look, or a control character or the end of any other sequence.
 */
export type ByteKind = 'text' | 'pending' | 'styling' | 'control'

const ESC = 0x1b
const BEL = 0x07
/** A title or hyperlink that is longer than this is none. */
export const MAX_STRING = 4096

/** Tells characters from escape sequences, wherever the stream is cut. */
export class EscapeParser {
  #state: 'ground' | 'escape' | 'csi' | 'string' | 'stringEscape' | 'charset' = 'ground'
  #length = 0

  /** Forgets the sequence that was begun. */
  reset(): void {
    this.#state = 'ground'
  }

  /** Whether the last byte belongs to a string: a title, or the address of a hyperlink. */
  get isInString(): boolean {
    return this.#state === 'string'
  }

  next(byte: number): ByteKind {
    switch (this.#state) {
      case 'ground':
        return this.#ground(byte)
      case 'escape':
        return this.#escape(byte)
      case 'csi':
        return this.#csi(byte)
      case 'charset':
        return this.#end('styling')
      case 'string':
        return this.#string(byte)
      case 'stringEscape':
        return byte === 0x5c ? this.#end('styling') : this.#escape(byte)
    }
  }

  #ground(byte: number): ByteKind {
    if (byte === ESC) return this.#begin('escape')
    return byte < 0x20 || byte === 0x7f ? 'control' : 'text'
  }

  #escape(byte: number): ByteKind {
    if (byte === 0x5b) return this.#begin('csi')
    if (byte === 0x5d || byte === 0x50 || byte === 0x5f || byte === 0x5e || byte === 0x58) return this.#begin('string')
    if (byte === 0x28 || byte === 0x29) return this.#begin('charset')
    if (byte === ESC) return this.#begin('escape')
    return this.#end('control')
  }

  /** Parameters and intermediates; the final `m` sets colours, and every other final does something else. */
  #csi(byte: number): ByteKind {
    if (byte === ESC) return this.#begin('escape')
    if (byte >= 0x20 && byte < 0x40) return 'pending'
    return this.#end(byte === 0x6d ? 'styling' : 'control')
  }

  #string(byte: number): ByteKind {
    if (byte === BEL) return this.#end('styling')
    if (byte === ESC) return this.#begin('stringEscape')
    return ++this.#length > MAX_STRING ? this.#end('control') : 'pending'
  }

  #begin(state: 'escape' | 'csi' | 'string' | 'stringEscape' | 'charset'): ByteKind {
    if (state === 'string') this.#length = 0
    this.#state = state
    return 'pending'
  }

  #end(kind: 'styling' | 'control'): ByteKind {
    this.#state = 'ground'
    return kind
  }
}
