/**
 * Kind of a byte of terminal output: a character, part of an unfinished escape sequence, the end of one that only
 * changes style, or a control character or other end.
 */
export type ByteKind = 'text' | 'pending' | 'styling' | 'control'

const ESC = 0x1b
const BEL = 0x07
const [LF, CR, CAN, SUB] = [0x0a, 0x0d, 0x18, 0x1a]
/** Introducers of strings: DCS, SOS, OSC, PM and APC. */
const STRINGS = [0x50, 0x58, 0x5d, 0x5e, 0x5f]
const OSC = 0x5d
/** A title or hyperlink that is longer than this is none. */
export const MAX_STRING = 4096

/**
 * Distinguishes characters from escape sequences, wherever the stream is cut; by the states of ECMA-48 as terminals
 * have them.
 */
export class EscapeParser {
  #state: 'ground' | 'escape' | 'intermediate' | 'csi' | 'string' | 'stringEscape' = 'ground'
  #length = 0
  #isCommand = false
  #setsCharset = false

  /** A string that is longer than `maxString` bytes ends there. */
  constructor(private readonly maxString = MAX_STRING) {}

  /** Forgets the sequence that was begun. */
  reset(): void {
    this.#state = 'ground'
  }

  /** True if the last byte belongs to a string: a title, or the address of a hyperlink. */
  get isInString(): boolean {
    return this.#state === 'string'
  }

  /** True if no sequence is open. */
  get isGround(): boolean {
    return this.#state === 'ground'
  }

  next(byte: number): ByteKind {
    if ((byte === CAN || byte === SUB) && this.#state !== 'ground') return this.#end('control')
    switch (this.#state) {
      case 'ground':
        return this.#ground(byte)
      case 'escape':
        return this.#escape(byte)
      case 'intermediate':
        return this.#intermediate(byte)
      case 'csi':
        return this.#csi(byte)
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
    if (byte === ESC) return this.#begin('escape')
    if (byte === 0x5b) return this.#begin('csi')
    if (STRINGS.includes(byte)) {
      this.#isCommand = byte === OSC
      return this.#begin('string')
    }
    if (byte >= 0x20 && byte < 0x30) {
      this.#setsCharset = byte === 0x28 || byte === 0x29
      return this.#begin('intermediate')
    }
    if (byte < 0x20) return this.#within('escape')
    return this.#end('control')
  }

  #intermediate(byte: number): ByteKind {
    if (byte === ESC) return this.#begin('escape')
    if (byte < 0x20) return this.#within('intermediate')
    if (byte < 0x30) return 'pending'
    return this.#end(this.#setsCharset ? 'styling' : 'control')
  }

  /** Parameters and intermediates; the final `m` sets colours, and every other final does something else. */
  #csi(byte: number): ByteKind {
    if (byte === ESC) return this.#begin('escape')
    if (byte < 0x20) return this.#within('csi')
    if (byte < 0x40 || byte === 0x7f) return 'pending'
    return this.#end(byte === 0x6d ? 'styling' : 'control')
  }

  /** No command of the system has a line in it: one that does was never ended. */
  #string(byte: number): ByteKind {
    if (byte === BEL) return this.#end('styling')
    if (byte === ESC) return this.#begin('stringEscape')
    if (this.#isCommand && (byte === LF || byte === CR)) return this.#end('control')
    return ++this.#length > this.maxString ? this.#end('control') : 'pending'
  }

  #begin(state: 'escape' | 'intermediate' | 'csi' | 'string' | 'stringEscape'): ByteKind {
    if (state === 'string') this.#length = 0
    this.#state = state
    return 'pending'
  }

  /** Terminals obey a control character in a sequence immediately, and read on. */
  #within(state: 'escape' | 'intermediate' | 'csi'): ByteKind {
    this.#state = state
    return 'control'
  }

  #end(kind: 'styling' | 'control'): ByteKind {
    this.#state = 'ground'
    return kind
  }
}
