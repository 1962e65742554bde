import { SerializeAddon } from '@xterm/addon-serialize'
import { Terminal } from '@xterm/headless'
import type { Screen } from '../protocol/session.ts'
import type { CellColours } from '../terminal/terminal-host.ts'
import { registerQueryResponses } from './query-responses.ts'

const SCROLLBACK = 200

/** The terminal a program believes to be on: it draws what the program writes and answers what it asks. */
export class TerminalEmulator {
  readonly #terminal: Terminal
  readonly #serializer = new SerializeAddon()
  readonly #keyboard: () => number
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
  }

  /** Draws these bytes; `drawn` is called when they are. One slice at a time. */
  write(bytes: Uint8Array, drawn: () => void): void {
    this.#terminal.write(bytes, drawn)
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

  #text(from: number, to: number): string[] {
    const lines: string[] = []
    const { buffer, cols } = this.#terminal
    // A line keeps what a wider screen had in it.
    for (let y = from; y < to; y++) lines.push(buffer.active.getLine(y)?.translateToString(true, 0, cols) ?? '')
    return lines
  }
}
