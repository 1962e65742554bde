import { type Input, InputParser } from './input.ts'
import { type Line, lineKey, renderLines } from './lines.tsx'

/** What a screen is drawn on and read from: the terminal of the process. */
export interface Tty {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
}

export interface ScreenListener {
  input(input: Input): void
  /** After all input that arrived together. */
  settled(): void
  resized(columns: number, rows: number): void
}

const ALTERNATE = ['\x1b[?1049h', '\x1b[?1049l'] as const
const HIDDEN_CURSOR = ['\x1b[?25l', '\x1b[?25h'] as const
const BRACKETED_PASTE = ['\x1b[?2004h', '\x1b[?2004l'] as const
/** Clicks and the wheel, with places beyond column 223. */
const MOUSE = ['\x1b[?1000h\x1b[?1006h', '\x1b[?1006l\x1b[?1000l'] as const
const SAVED_TITLE = ['\x1b[22;0t', '\x1b[23;0t'] as const
const ASK_BACKGROUND = '\x1b]11;?\x07'

/** An escape that nothing follows for so long is the key. */
const ESCAPE_MS = 30

/** The terminal while the dashboard has it: raw, on the alternate screen, and as it was before once it is left. */
export class Screen {
  readonly #painter = new Painter()
  readonly #parser = new InputParser()
  #escape: NodeJS.Timeout | undefined
  #isHeld = false
  #isBlocked = false
  #hasMouse: boolean

  constructor(
    private readonly tty: Tty,
    private readonly listener: ScreenListener,
    options: { mouse: boolean },
  ) {
    this.#hasMouse = options.mouse
  }

  get columns(): number {
    return this.tty.output.columns || 80
  }

  get rows(): number {
    return this.tty.output.rows || 24
  }

  /** Takes the terminal; again after it was left. */
  take(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    this.#isBlocked = false
    const { input, output } = this.tty
    input.setRawMode(true)
    input.on('data', this.#onData)
    input.resume()
    output.on('resize', this.#onResize)
    output.on('drain', this.#onDrain)
    this.#painter.forget()
    this.write(SAVED_TITLE[0] + ALTERNATE[0] + HIDDEN_CURSOR[0] + BRACKETED_PASTE[0] + (this.#hasMouse ? MOUSE[0] : ''))
  }

  /** Gives the terminal back as it was; may be called twice. */
  leave(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    clearTimeout(this.#escape)
    const { input, output } = this.tty
    output.off('resize', this.#onResize)
    output.off('drain', this.#onDrain)
    input.off('data', this.#onData)
    this.write(['\x1b[0m', MOUSE[1], BRACKETED_PASTE[1], HIDDEN_CURSOR[1], ALTERNATE[1], SAVED_TITLE[1]].join(''))
    input.setRawMode(false)
    input.pause()
  }

  /** Asks the terminal whether its background is light; the answer comes as input, if one does. */
  askBackground(): void {
    this.write(ASK_BACKGROUND)
  }

  /** Takes clicks and the wheel, or leaves them to the terminal, which selects text with them. */
  setMouse(on: boolean): void {
    this.#hasMouse = on
    if (this.#isHeld) this.write(MOUSE[on ? 0 : 1])
  }

  /** Shows a frame; false while the terminal does not keep up, which is told of once it does. */
  show(frame: readonly Line[]): boolean {
    if (!this.#isHeld || this.#isBlocked) return false
    const text = this.#painter.update(frame)
    if (text !== '') this.#isBlocked = !this.tty.output.write(text)
    return true
  }

  /** The next frame is drawn whole. */
  forget(): void {
    this.#painter.forget()
  }

  /** Writes past the frame: a bell, the title, the clipboard. */
  write(text: string): void {
    this.tty.output.write(text)
  }

  readonly #onData = (bytes: Uint8Array): void => {
    clearTimeout(this.#escape)
    this.#pass(this.#parser.feed(bytes))
    if (this.#parser.isWaiting) this.#escape = setTimeout(() => this.#pass(this.#parser.flush()), ESCAPE_MS)
  }

  #pass(inputs: readonly Input[]): void {
    for (const input of inputs) this.listener.input(input)
    this.listener.settled()
  }

  readonly #onResize = (): void => {
    this.#painter.forget()
    this.listener.resized(this.columns, this.rows)
  }

  readonly #onDrain = (): void => {
    this.#isBlocked = false
    this.listener.settled()
  }
}

const BEGIN = '\x1b[?2026h'
const END = '\x1b[?2026l'

/** Knows what is on the screen, and lays out and writes only the lines that change, in one update. */
class Painter {
  #shown: readonly string[] = []

  /** What turns the shown frame into this one; empty for the same frame. */
  update(frame: readonly Line[]): string {
    const keys = frame.map(lineKey)
    const changed = [...frame.keys()].filter((at) => keys[at] !== this.#shown[at])
    const texts = renderLines(changed.flatMap((at) => (frame[at] ? [frame[at]] : [])))
    const lines = changed.map((at, n) => `\x1b[${at + 1};1H${texts[n] ?? ''}\x1b[0m\x1b[K`)
    const surplus = this.#shown.length > frame.length ? `\x1b[${frame.length + 1};1H\x1b[J` : ''
    this.#shown = keys
    const text = lines.join('') + surplus
    return text === '' ? '' : `${BEGIN}${text}${END}`
  }

  /** Somebody else wrote to the screen, or its size changed: the next frame is written whole. */
  forget(): void {
    this.#shown = []
  }
}
