import { EscapeParser } from '../../core/text/index.ts'
import { drawing, type ViewerEffect } from './drawing.ts'

const ESC = 0x1b
/** BEL, BS, HT, LF, VT, FF and CR; others shift characters, stop output or ask who is there. */
const CONTROLS = new Set([0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d])
const REPLACEMENT = [0xef, 0xbf, 0xbd]
/** The longest string that is read to its end, such as a picture: what comes after that is shown as text. */
const MAX_STRING_BYTES = 256 << 10
/** The longest sequence that can draw; of a clipboard the longest text, in base64. */
const MAX_SEQUENCE_BYTES = 4096
const MAX_CLIPBOARD_BYTES = 128 << 10
/** From the second byte on; how long a character is, by its first byte. */
const MAX_CHARACTER_BYTES = 4

/**
 * Lets pass of a program's output what draws, and makes all of it again, wherever the chunks are cut: what acts on a
 * terminal, asks it something or changes how it reads later bytes does not reach the terminal of somebody who looks on.
 * Controls of one byte (C1) count as the sequences that they stand for.
 */
export class ViewerFilter {
  readonly #parser = new EscapeParser(MAX_STRING_BYTES)
  readonly #maxSequence: number
  /** The sequence that is open, without its escape. */
  #sequence: number[] = []
  /** True if an escape in a string was the last byte, which ends it if a backslash follows. */
  #mayEnd = false
  /** The first bytes of a character. */
  #character: number[] = []

  constructor(private readonly effects: ReadonlySet<ViewerEffect> = new Set()) {
    this.#maxSequence = effects.has('clipboard') ? MAX_CLIPBOARD_BYTES : MAX_SEQUENCE_BYTES
  }

  push(bytes: Uint8Array): Uint8Array {
    if (this.#parser.isGround && this.#character.length === 0 && bytes.every(isPlain)) return bytes
    const shown: number[] = []
    for (const byte of bytes) {
      if (this.#parser.isGround) this.#readText(byte, shown)
      else this.#readSequence(byte, shown)
    }
    return Uint8Array.from(shown)
  }

  #readText(byte: number, shown: number[]): void {
    if (this.#character.length > 0 && (byte & 0xc0) === 0x80) {
      this.#readCharacter(byte, shown)
      return
    }
    if (this.#character.length > 0) shown.push(...REPLACEMENT)
    this.#character = []
    if (byte >= 0xc2 && byte <= 0xf4) this.#character.push(byte)
    else if (byte >= 0x80) shown.push(...REPLACEMENT)
    else if (byte === ESC) this.#begin()
    else if (isPlain(byte) || CONTROLS.has(byte)) shown.push(byte)
  }

  #readCharacter(byte: number, shown: number[]): void {
    const character = [...this.#character, byte]
    const [first = 0] = character
    const length = first >= 0xf0 ? MAX_CHARACTER_BYTES : first >= 0xe0 ? 3 : 2
    this.#character = character.length < length ? character : []
    if (character.length < length) return
    const code = Buffer.from(character).toString('utf8').codePointAt(0) ?? 0
    if (code >= 0xa0) {
      // Bytes that are not a character have become the one that replaces them.
      shown.push(...Buffer.from(String.fromCodePoint(code)))
      return
    }
    this.#begin()
    this.#readSequence(code - 0x40, shown)
  }

  #begin(): void {
    this.#parser.next(ESC)
    this.#sequence = []
    this.#mayEnd = false
  }

  #readSequence(byte: number, shown: number[]): void {
    const wasInString = this.#parser.isInString
    const kind = this.#parser.next(byte)
    if (byte === ESC) {
      this.#mayEnd = wasInString
      if (!wasInString) this.#sequence = []
      return
    }
    const isOver = this.#parser.isGround
    const endsString = (this.#mayEnd && byte === 0x5c) || (wasInString && kind === 'styling')
    if (this.#mayEnd && byte !== 0x5c) this.#sequence = []
    this.#mayEnd = false
    if (endsString) {
      this.#show(shown)
      return
    }
    if (wasInString ? isOver : byte < 0x20) {
      if (CONTROLS.has(byte)) shown.push(byte)
      if (isOver) this.#sequence = []
      return
    }
    if (this.#sequence.length <= this.#maxSequence) this.#sequence.push(byte)
    if (isOver) this.#show(shown)
  }

  /** Shows what draws of the sequence that is complete. */
  #show(shown: number[]): void {
    const sequence = this.#sequence
    this.#sequence = []
    if (sequence.length > this.#maxSequence) return
    for (const byte of Buffer.from(drawing(Buffer.from(sequence), this.effects))) shown.push(byte)
  }
}

const isPlain = (byte: number): boolean => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x07 && byte <= 0x0d)
