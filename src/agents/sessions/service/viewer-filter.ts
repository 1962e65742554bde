import { EscapeParser } from '../../../core/escape-parser.ts'

const ESC = 0x1b
/** In UTF-8, the first byte of the control characters that stand for an escape sequence's beginning. */
const C1_LEAD = 0xc2
/** A longer sequence draws nothing. */
const MAX_SEQUENCE_BYTES = 4096

/**
 * Leaves out of a program's output what acts on the terminal of somebody who only watches: its title, clipboard, printer
 * and notifications, and every other string sequence but hyperlinks. What draws passes, wherever the chunks are cut.
 */
export class ViewerFilter {
  readonly #escapes = new EscapeParser()
  /** The sequence, or the first byte of a control character, that is not complete. */
  #open: number[] = []

  push(bytes: Uint8Array): Uint8Array {
    if (this.#open.length === 0 && !bytes.includes(ESC) && !bytes.includes(C1_LEAD)) return bytes
    const shown: number[] = []
    for (const byte of bytes) this.#read(byte, shown)
    return Uint8Array.from(shown)
  }

  #read(byte: number, shown: number[]): void {
    const isInSequence = this.#open[0] === ESC
    if (!isInSequence && byte === C1_LEAD) {
      this.#close(shown)
      this.#open.push(byte)
      return
    }
    const kind = this.#escapes.next(byte)
    if (kind === 'pending' || isInSequence) {
      if (!isInSequence) this.#close(shown)
      if (this.#open.length <= MAX_SEQUENCE_BYTES) this.#open.push(byte)
      if (kind !== 'pending') this.#close(shown)
      return
    }
    const isC1 = this.#open.length > 0 && byte >= 0x80 && byte < 0xa0
    if (isC1) this.#open = []
    else shown.push(...this.#open.splice(0), byte)
  }

  /** Shows what is complete, if it draws. */
  #close(shown: number[]): void {
    if (draws(this.#open)) shown.push(...this.#open)
    this.#open = []
  }
}

function draws(sequence: readonly number[]): boolean {
  if (sequence[0] !== ESC) return true
  if (sequence.length > MAX_SEQUENCE_BYTES) return false
  const text = String.fromCharCode(...sequence.slice(1))
  if (text.startsWith('[')) return !text.endsWith('i') && !text.endsWith('t')
  if (text.startsWith(']')) return text.startsWith(']8;')
  return !/^[P_^X]/.test(text)
}
