import { SerializeAddon } from '@xterm/addon-serialize'
import { Terminal } from '@xterm/headless'
import type { Screen } from '../protocol/session.ts'
import type { CellColours } from '../terminal/terminal-host.ts'
import { CountLimiter } from './count-limiter.ts'
import { registerQueryResponses } from './query-responses.ts'

const SCROLLBACK = 200
/** After how many bytes the emulator is searched for what takes too much memory. */
const SEARCH_EVERY = 64 * 1024
/** How many characters a column has at most, with the accents that stand over it. */
const MAX_CHARACTERS = 16
/** How often one slice may do what draws every cell anew. */
const MAX_REDRAWN = 64
/** Ends a sequence that was begun, and erases the screen and what was scrolled off it. */
const ERASE = '\x18\x1b[2J\x1b[3J'

/** The terminal a program believes to be on: it draws what the program writes and answers what it asks. */
export class TerminalEmulator {
  readonly #terminal: Terminal
  readonly #serializer = new SerializeAddon()
  readonly #keyboard: () => number
  readonly #counts = new CountLimiter()
  #unsearched = 0
  #redrawn = 0
  #title = ''

  constructor(
    cols: number,
    rows: number,
    private readonly events: { answer(text: string): void; title(text: string): void },
  ) {
    this.#terminal = new Terminal({
      cols,
      rows,
      scrollback: SCROLLBACK,
      allowProposedApi: true,
      logLevel: 'off',
      windowOptions: {
        getWinSizePixels: true,
        getCellSizePixels: true,
        getWinSizeChars: true,
        getScreenSizeChars: true,
      },
    })
    this.#terminal.loadAddon(this.#serializer)
    this.#terminal.onData((text) => this.events.answer(text))
    this.#terminal.onTitleChange((title) => {
      this.#title = title.slice(0, 1024)
      this.events.title(this.#title)
    })
    this.#keyboard = registerQueryResponses(this.#terminal, (text) => this.events.answer(text))
    this.#limitCost()
  }

  /** Draws these bytes; `drawn` is called when they are. One slice at a time. */
  write(bytes: Uint8Array, drawn: () => void): void {
    this.#redrawn = 0
    this.#unsearched += bytes.length
    this.#terminal.write(this.#counts.limit(bytes, this.#terminal), () => {
      if (this.#unsearched < SEARCH_EVERY) return drawn()
      this.#unsearched = 0
      if (this.#isOverfull()) this.#terminal.write(ERASE, drawn)
      else drawn()
    })
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows)
  }

  /** The screen as text; with `lines`, the last so many lines above the end of what is written. */
  screen(lines: number | undefined): Omit<Screen, 'offset'> {
    const { buffer, cols, rows } = this.#terminal
    const { active } = buffer
    const last = active.baseY + rows
    const text = this.#text(lines === undefined ? active.baseY : 0, last)
    if (lines !== undefined) while (text.length > 0 && text.at(-1) === '') text.pop()
    return {
      lines: lines === undefined ? text : text.slice(-Math.max(1, lines)),
      cursor: { x: active.cursorX, y: active.cursorY },
      title: this.#title,
      alternate: active.type === 'alternate',
      bracketedPaste: this.#terminal.modes.bracketedPasteMode,
      cols,
      rows,
    }
  }

  /** The colours of a cell of the screen. */
  colours(x: number, y: number): CellColours {
    const { active } = this.#terminal.buffer
    const cell = active.getLine(active.baseY + y)?.getCell(x)
    if (!cell) return { text: -1, ground: -1 }
    const [text, ground] = [
      (cell.getFgColorMode() << 25) + cell.getFgColor(),
      (cell.getBgColorMode() << 25) + cell.getBgColor(),
    ]
    return cell.isInverse() ? { text: ground, ground: text } : { text, ground }
  }

  /** What draws this screen on an empty terminal of the same size, its scrollback included. */
  draw(): string {
    const keyboard = this.#keyboard()
    return this.#serializer.serialize() + (keyboard > 0 ? `\x1b[>${keyboard}u` : '')
  }

  /** Leaves out what a few bytes of would keep the emulator busy or fill its memory, and no program needs. */
  #limitCost(): void {
    const { parser } = this.#terminal
    const isRedrawnTooOften = () => ++this.#redrawn > MAX_REDRAWN
    parser.registerEscHandler({ final: 'c' }, isRedrawnTooOften)
    parser.registerEscHandler({ intermediates: '#', final: '8' }, isRedrawnTooOften)
    parser.registerCsiHandler({ final: 'b' }, () => this.#charactersBeforeCursor() > MAX_CHARACTERS)
    parser.registerOscHandler(8, () => true)
  }

  #charactersBeforeCursor(): number {
    const { active } = this.#terminal.buffer
    const line = active.getLine(active.baseY + active.cursorY)
    return line?.getCell(Math.max(0, active.cursorX - 1))?.getChars().length ?? 0
  }

  /** Whether there are characters without a width that no screen shows, by the thousand. */
  #isOverfull(): boolean {
    const { buffer, cols } = this.#terminal
    for (let y = 0; y < buffer.active.length; y++) {
      if ((buffer.active.getLine(y)?.translateToString().length ?? 0) > cols * MAX_CHARACTERS) return true
    }
    return false
  }

  #text(from: number, to: number): string[] {
    const lines: string[] = []
    const { buffer, cols } = this.#terminal
    // A line keeps what a wider screen had in it.
    for (let y = from; y < to; y++) lines.push(buffer.active.getLine(y)?.translateToString(true, 0, cols) ?? '')
    return lines
  }
}
