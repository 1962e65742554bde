import { SerializeAddon } from '@xterm/addon-serialize'
import { type IBufferCell, type IBufferLine, type IParser, Terminal } from '@xterm/headless'
import type { Screen } from '../protocol/index.ts'
import type { CellColours } from '../terminal/index.ts'

const SCROLLBACK = 200
/** After how many bytes the emulator is searched for what takes too much memory. */
const SEARCH_EVERY = 64 * 1024
/** Maximum number of characters a column has, with the accents that stand over it. */
const MAX_CHARACTERS = 16
/** Maximum full redraws per slice. */
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
  screen(lines: number | undefined, styles = false): Omit<Screen, 'offset'> {
    const { buffer, cols, rows } = this.#terminal
    const { active } = buffer
    const last = active.baseY + rows
    const begin = lines === undefined ? active.baseY : 0
    const text = this.#text(begin, last)
    if (lines !== undefined) while (text.length > 0 && text.at(-1) === '') text.pop()
    const first = lines === undefined ? 0 : Math.max(0, text.length - Math.max(1, lines))
    const shown = text.slice(first)
    const styled = styles && shown.map((line, at) => styledLine(line, buffer.active.getLine(begin + first + at), cols))
    return {
      lines: shown,
      ...(styled && { styled }),
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

  /** Sequence that draws this screen on an empty terminal of the same size, including scrollback. */
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

  /** True if there are characters without a width that no screen shows, by the thousand. */
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

/** Maximum length of a line with its sequences; a line that changes its colours more often is sent without them. */
const MAX_STYLED = 16_384

/**
 * A line of a terminal with SGR sequences for its colours and styles, built from its cells, so that no other sequence can be
 * in it. Hidden text is shown. `text` is the line without them.
 */
function styledLine(text: string, line: IBufferLine | undefined, cols: number): string {
  if (!line) return text
  let styled = ''
  let now = ''
  for (let x = 0, end = endOf(line, cols); x < end && styled.length <= MAX_STYLED; x++) {
    const cell = line.getCell(x)
    // The second half of a wide character has no characters of its own.
    if (!cell || cell.getWidth() === 0) continue
    const style = styleOf(cell)
    if (style !== now) styled += `\x1b[0${style}m`
    styled += cell.getChars() || ' '
    now = style
  }
  if (styled.length > MAX_STYLED) return text
  return now === '' ? styled : `${styled}\x1b[0m`
}

/** The columns up to the last one with something to see. */
function endOf(line: IBufferLine, cols: number): number {
  for (let x = cols - 1; x >= 0; x--) {
    const cell = line.getCell(x)
    if (cell && (!/^\s*$/.test(cell.getChars()) || !cell.isBgDefault() || cell.isInverse() || cell.isUnderline()))
      return x + 1
  }
  return 0
}

function styleOf(cell: IBufferCell): string {
  if (cell.isAttributeDefault()) return ''
  const styles: [number, string][] = [
    [cell.isBold(), ';1'],
    [cell.isDim(), ';2'],
    [cell.isItalic(), ';3'],
    [cell.isUnderline(), ';4'],
    [cell.isInverse(), ';7'],
    [cell.isStrikethrough(), ';9'],
  ]
  const shown = styles.map(([isOn, code]) => (isOn ? code : '')).join('')
  const text = cell.isFgDefault() ? '' : colour(cell.getFgColor(), cell.isFgRGB(), 30)
  const ground = cell.isBgDefault() ? '' : colour(cell.getBgColor(), cell.isBgRGB(), 40)
  return shown + text + ground
}

function colour(value: number, isRgb: boolean, base: 30 | 40): string {
  if (isRgb) return `;${base + 8};2;${(value >> 16) & 255};${(value >> 8) & 255};${value & 255}`
  if (value < 8) return `;${base + value}`
  return value < 16 ? `;${base + 60 + value - 8}` : `;${base + 8};5;${value}`
}

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

/**
 * Functions that a terminal repeats as often as the first parameter. More often than it has rows or columns changes
 * nothing.
 */
const REPEATED: ReadonlyMap<number, keyof Size> = new Map(
  Object.entries({ S: 'rows', T: 'rows', L: 'rows', M: 'rows', I: 'cols', Z: 'cols', b: 'cols' } as const).map(
    ([final, of]) => [final.charCodeAt(0), of],
  ),
)

/**
 * Lowers the counts in what a program writes to what its terminal has: a scroll by two thousand million lines would
 * keep the emulator busy for hours. The parameters of a sequence are held until its end is there.
 */
class CountLimiter {
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

  /** True if a sequence ends here without an end, even where the emulator would leave the byte out and continue. */
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

/** True if a byte leaves the sequence in which it stands unchanged: control characters are carried out immediately. */
const isInside = (byte: number): boolean =>
  byte === DELETE || (byte < 0x20 && byte !== ESC && byte !== CANCEL && byte !== SUBSTITUTE)

/** The parameters with a lower count where that is too high; those of private sequences count nothing. */
function limited(parameters: string, final: number, size: Size): string {
  const of = REPEATED.get(final)
  const [count] = /^\d+/.exec(parameters) ?? []
  if (of === undefined || count === undefined || Number(count) <= size[of]) return parameters
  return `${size[of]}${parameters.slice(count.length)}`
}

/** Size of a character cell in pixels, for those who ask. */
const CELL = { width: 9, height: 18 }
/** A dark screen with light text. */
const FOREGROUND = 'd0d0/d0d0/d0d0'
const BACKGROUND = '0000/0000/0000'
const STEPS = [0, 95, 135, 175, 215, 255]
const NAMED = [
  '000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5',
  '7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff',
]
  .join(' ')
  .split(' ')

/** Maximum colours read from a list of requested ones. */
const MAX_COLOURS_ASKED = 4096

type Respond = (text: string) => void

/**
 * Answers what the emulator itself leaves unanswered: full-screen programs wait for it before they draw.
 * Returns the keyboard flags that a program has requested.
 */
function registerQueryResponses(terminal: Terminal, say: Respond): () => number {
  const { parser } = terminal
  answerIdentity(parser, say)
  answerColours(parser, say)
  parser.registerCsiHandler({ final: 't' }, ([what]) => answerWindow(what, terminal, say))
  return followKeyboard(parser, say)
}

function answerIdentity(parser: IParser, say: Respond): void {
  parser.registerCsiHandler({ prefix: '>', final: 'q' }, () => answered(say, '\x1bP>|gc\x1b\\'))
  parser.registerCsiHandler({ prefix: '=', final: 'c' }, () => answered(say, '\x1bP!|00000000\x1b\\'))
  parser.registerEscHandler({ final: 'Z' }, () => answered(say, '\x1b[?1;2c'))
  parser.registerDcsHandler({ intermediates: '+', final: 'q' }, () => answered(say, '\x1bP0+r\x1b\\'))
  parser.registerCsiHandler({ prefix: '?', final: 'n' }, ([what]) =>
    what === 996 ? answered(say, '\x1b[?997;1n') : false,
  )
}

function answerColours(parser: IParser, say: Respond): void {
  const colour = (code: number, value: string) =>
    parser.registerOscHandler(code, (data) =>
      data === '?' ? answered(say, `\x1b]${code};rgb:${value}\x1b\\`) : data.includes('?'),
    )
  colour(10, FOREGROUND)
  colour(11, BACKGROUND)
  colour(12, FOREGROUND)
  parser.registerOscHandler(4, (data) => {
    const parts = data.slice(0, MAX_COLOURS_ASKED).split(';')
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const index = Number(parts[at])
      if (parts[at + 1] === '?') say(`\x1b]4;${index};rgb:${paletteColour(index)}\x1b\\`)
    }
    return data.includes('?')
  })
}

function answerWindow(what: number | number[] | undefined, { cols, rows }: Terminal, say: Respond): boolean {
  if (what === 14) return answered(say, `\x1b[4;${rows * CELL.height};${cols * CELL.width}t`)
  if (what === 16) return answered(say, `\x1b[6;${CELL.height};${CELL.width}t`)
  if (what === 18) return answered(say, `\x1b[8;${rows};${cols}t`)
  if (what === 19) return answered(say, `\x1b[9;${rows};${cols}t`)
  return false
}

/** The keyboard protocol with a stack of flags: queried, pushed, popped and set. */
function followKeyboard(parser: IParser, say: Respond): () => number {
  const stack = [0]
  const top = () => stack.at(-1) ?? 0
  const number = (value: number | number[] | undefined, otherwise: number) =>
    typeof value === 'number' && value > 0 ? value : otherwise
  parser.registerCsiHandler({ prefix: '?', final: 'u' }, () => answered(say, `\x1b[?${top()}u`))
  parser.registerCsiHandler({ prefix: '>', final: 'u' }, ([flags]) => {
    stack.push(number(flags, 0))
    if (stack.length > 32) stack.shift()
    return true
  })
  parser.registerCsiHandler({ prefix: '<', final: 'u' }, ([count]) => {
    stack.splice(Math.max(0, stack.length - number(count, 1)))
    if (stack.length === 0) stack.push(0)
    return true
  })
  parser.registerCsiHandler({ prefix: '=', final: 'u' }, ([flags, mode]) => {
    const value = number(flags, 0)
    const how = number(mode, 1)
    stack[stack.length - 1] = how === 2 ? top() | value : how === 3 ? top() & ~value : value
    return true
  })
  return top
}

function answered(say: Respond, text: string): true {
  say(text)
  return true
}

function paletteColour(index: number): string {
  const hex = NAMED[index] ?? cubeColour(index)
  return [0, 2, 4].map((at) => hex.slice(at, at + 2).repeat(2)).join('/')
}

function cubeColour(index: number): string {
  const two = (value: number) => value.toString(16).padStart(2, '0')
  if (index >= 232) return two(8 + (index - 232) * 10).repeat(3)
  const at = index - 16
  return [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => two(STEPS[step] ?? 0)).join('')
}
