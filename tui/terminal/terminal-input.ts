import { Readable } from 'node:stream'

/** Input of a terminal besides keys and pasted text. */
export type Signal =
  | { readonly type: 'mouse'; readonly action: MouseAction; readonly x: number; readonly y: number }
  | { readonly type: 'background'; readonly isLight: boolean }

export type MouseAction = 'press' | 'wheel-up' | 'wheel-down'

/** Reports of the mouse (SGR, 1006), and answers to the question for the background (OSC 11). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are sequences of a terminal
const SIGNALS = /\x1b\[<(\d+);(\d+);(\d+)([Mm])|\x1b\]11;([^\x07\x1b]*)(?:\x07|\x1b\\)/g
/** The beginning of one whose rest has not arrived. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are sequences of a terminal
const UNFINISHED = /\x1b(?:\[<[\d;]*|\]1{0,2}|\]11;[^\x07\x1b]*\x1b?)$/
/** A sequence that is longer than this is none. */
const MAX_SEQUENCE = 256

/** The text without signals, the signals, and what may become one. */
export function takeSignals(text: string): {
  readonly text: string
  readonly signals: Signal[]
  readonly rest: string
} {
  const signals: Signal[] = []
  const left = text.replace(SIGNALS, (_, button, column, line, final, colour) => {
    const signal =
      colour === undefined ? mouse(Number(button), Number(column), Number(line), final) : background(colour)
    if (signal) signals.push(signal)
    return ''
  })
  const [rest = ''] = UNFINISHED.exec(left) ?? []
  if (rest.length > MAX_SEQUENCE) return { text: left, signals, rest: '' }
  return { text: left.slice(0, left.length - rest.length), signals, rest }
}

/** A press of the left button or a turn of the wheel; everything else of the mouse means nothing here. */
function mouse(button: number, column: number, line: number, final: string): Signal | undefined {
  const action = button === 0 ? 'press' : button === 64 ? 'wheel-up' : button === 65 ? 'wheel-down' : undefined
  if (action === undefined || final !== 'M') return undefined
  return { type: 'mouse', action, x: column - 1, y: line - 1 }
}

/** `rgb:ffff/ffff/ffff`. */
function background(text: string): Signal | undefined {
  const [, red, green, blue] = /^rgba?:([\da-f]+)\/([\da-f]+)\/([\da-f]+)/i.exec(text) ?? []
  if (red === undefined || green === undefined || blue === undefined) return undefined
  const share = (hex: string) => Number.parseInt(hex, 16) / (16 ** hex.length - 1)
  const luminance = 0.299 * share(red) + 0.587 * share(green) + 0.114 * share(blue)
  return { type: 'background', isLight: luminance > 0.5 }
}

const ESC = '\x1b'
/** An escape that nothing follows for so long is the key. */
const ESCAPE_MS = 50
/** A terminal that answers does so within this time. */
const ANSWER_MS = 1_000

/** Functions of a terminal's input stream that are used. */
export interface Source {
  setRawMode(isRaw: boolean): unknown
  on(event: 'data', listener: (bytes: Uint8Array) => void): unknown
  off(event: 'data', listener: (bytes: Uint8Array) => void): unknown
  resume(): unknown
  pause(): unknown
}

/** The input of a terminal as Ink reads it: without what Ink has no hook for, which is passed on here. */
export class TerminalInput extends Readable {
  readonly isTTY = true
  readonly #decoder = new TextDecoder()
  #rest = ''
  #isRaw = false
  #escape: NodeJS.Timeout | undefined
  #awaitsAnswer = false

  constructor(
    private readonly source: Source,
    private readonly onSignal: (signal: Signal) => void,
  ) {
    super()
  }

  /** Reads the terminal while it is raw; otherwise the terminal is somebody else's. */
  setRawMode(isRaw: boolean): void {
    if (isRaw === this.#isRaw) return
    this.#isRaw = isRaw
    this.source.setRawMode(isRaw)
    if (isRaw) {
      this.source.on('data', this.#onData)
      this.source.resume()
    } else {
      this.source.off('data', this.#onData)
      this.source.pause()
      this.#rest = ''
    }
  }

  /** Expects the answer to a question soon: an escape may be its first byte, so it is held until the next arrives. */
  awaitAnswer(): void {
    this.#awaitsAnswer = true
    setTimeout(() => {
      this.#awaitsAnswer = false
    }, ANSWER_MS).unref()
  }

  override _read(): void {}

  readonly #onData = (bytes: Uint8Array): void => {
    clearTimeout(this.#escape)
    const { text, signals, rest } = takeSignals(this.#rest + this.#decoder.decode(bytes, { stream: true }))
    const isHeld = this.#awaitsAnswer && rest === '' && text.endsWith(ESC)
    this.#rest = isHeld ? ESC : rest
    for (const signal of signals) this.onSignal(signal)
    this.#pass(isHeld ? text.slice(0, -1) : text)
    if (isHeld) this.#escape = setTimeout(this.#release, ESCAPE_MS)
  }

  readonly #release = (): void => {
    const rest = this.#rest
    this.#rest = ''
    this.#pass(rest)
  }

  #pass(text: string): void {
    if (text !== '') this.push(text)
  }
}
