const ESC = 0x1b
const CANCEL = 0x18
const SUBSTITUTE = 0x1a
const DELETE = 0x7f
const BRACKET = 0x5b
/** The two bytes of U+009B, which begins a sequence as `ESC [` does. */
const [C1_LEAD, C1_BEGIN] = [0xc2, 0x9b]

/** Parameters that are longer are none. */
const MAX_PARAMETERS = 512

type State = 'text' | 'escape' | 'lead' | 'parameters'

interface Size {
  readonly cols: number
  readonly rows: number
}

/** What a terminal does as often as the first parameter says. More often than it has rows or columns changes nothing. */
const REPEATED: ReadonlyMap<number, keyof Size> = new Map(
  Object.entries({ S: 'rows', T: 'rows', L: 'rows', M: 'rows', I: 'cols', Z: 'cols', b: 'cols' } as const).map(
    ([final, of]) => [final.charCodeAt(0), of],
  ),
)

/**
 * Lowers the counts in what a program writes to what its terminal has: a scroll by two thousand million lines would
 * keep the emulator busy for hours. The parameters of a sequence are held until its end is there.
 */
export class CountLimiter {
  #state: State = 'text'
  #parameters = ''

  limit(bytes: Uint8Array, size: Size): Uint8Array {
    if (this.#state === 'text' && bytes.indexOf(ESC) < 0 && bytes.indexOf(C1_LEAD) < 0) return bytes
    const out: number[] = []
    for (const byte of bytes) this.#next(byte, out, size)
    return Uint8Array.from(out)
  }

  #next(byte: number, out: number[], size: Size): void {
    if (this.#isCut(byte)) {
      out.push(CANCEL)
      this.#state = 'text'
    }
    const state = this.#state
    if (state !== 'text' && state !== 'lead' && isInside(byte)) out.push(byte)
    else if (state === 'parameters' && byte >= 0x20 && byte < 0x40) this.#parameters += String.fromCharCode(byte)
    else {
      if (state === 'parameters') out.push(...Buffer.from(limited(this.#parameters, byte, size)))
      out.push(byte)
      this.#state = stateAfter(state, byte)
      this.#parameters = ''
    }
  }

  /** Whether a sequence ends here without an end, also where the emulator would leave the byte out and go on. */
  #isCut(byte: number): boolean {
    const isOpen = this.#state === 'escape' || this.#state === 'parameters'
    return isOpen && (byte >= 0x80 || this.#parameters.length > MAX_PARAMETERS)
  }
}

function stateAfter(state: State, byte: number): State {
  if (state === 'escape' && byte === BRACKET) return 'parameters'
  if (state === 'lead' && byte === C1_BEGIN) return 'parameters'
  return byte === ESC ? 'escape' : byte === C1_LEAD ? 'lead' : 'text'
}

/** Whether a byte leaves the sequence in which it stands as it is: control characters are carried out at once. */
const isInside = (byte: number): boolean =>
  byte === DELETE || (byte < 0x20 && byte !== ESC && byte !== CANCEL && byte !== SUBSTITUTE)

/** The parameters with a lower count where that is too high; those of private sequences count nothing. */
function limited(parameters: string, final: number, size: Size): string {
  const of = REPEATED.get(final)
  const [count] = /^\d+/.exec(parameters) ?? []
  if (of === undefined || count === undefined || Number(count) <= size[of]) return parameters
  return `${size[of]}${parameters.slice(count.length)}`
}
