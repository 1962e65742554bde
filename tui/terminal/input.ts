/** What a terminal sends: a key by its name, pasted text, a click or turn of the wheel, or its background. */
export type Input =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'mouse'; readonly action: MouseAction; readonly x: number; readonly y: number }
  | { readonly type: 'background'; readonly isLight: boolean }

export type MouseAction = 'press' | 'wheel-up' | 'wheel-down'

/** A sequence that is longer than this is none. */
const MAX_SEQUENCE = 256
const MAX_PASTE = 1_048_576
const PASTE_END = '\u001b[201~'

const ESC = '\u001b'
const BEL = '\u0007'

/** What follows an escape: a key or the mouse, a key of the keypad, and one whose rest has not arrived. */
const CSI = /\[([<=>?]?)([\d;:]*)[ -/]*([@-~])/y
const SS3 = /O([ -~])/y
const UNFINISHED = /^(?:O?|\[[<=>?]?[\d;:]*[ -/]*)$/

const LETTERS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'shift+tab',
  M: 'enter',
}

const NUMBERS: Readonly<Record<string, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
}

const CONTROLS: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'ctrl+j',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0000': 'ctrl+space',
  [ESC]: 'esc',
}

/** Takes the bytes of a terminal apart, however they were cut into pieces. */
export class InputParser {
  readonly #decoder = new TextDecoder()
  #rest = ''

  /** Whether a sequence has begun whose end has not arrived: `flush` takes it for what it is then. */
  get isWaiting(): boolean {
    return this.#rest !== ''
  }

  feed(bytes: Uint8Array): Input[] {
    this.#rest += this.#decoder.decode(bytes, { stream: true })
    return this.#take(false)
  }

  /** Nothing followed: an escape is the key of that name. */
  flush(): Input[] {
    return this.#take(true)
  }

  #take(isLast: boolean): Input[] {
    const found: Input[] = []
    let at = 0
    while (at < this.#rest.length) {
      const { input, length } = next(this.#rest, at, isLast)
      if (length === 0) break
      if (input) found.push(input)
      at += length
    }
    this.#rest = this.#rest.slice(at)
    return found
  }
}

interface Taken {
  readonly input?: Input | undefined
  /** How many units it takes; 0 while it has not all arrived. */
  readonly length: number
}

const WAIT: Taken = { length: 0 }

function next(text: string, at: number, isLast: boolean): Taken {
  if (text[at] !== ESC) return typed(text, at)
  const csi = matchAt(CSI, text, at + 1)
  if (csi?.[0] === '[200~') return paste(text, at, at + 1 + csi[0].length)
  if (csi) return { input: sequence(csi), length: 1 + csi[0].length }
  const ss3 = matchAt(SS3, text, at + 1)
  if (ss3) return { input: named(LETTERS[ss3[1] ?? '']), length: 1 + ss3[0].length }
  if (text[at + 1] === ']') return command(text, at, isLast)
  if (!isLast && UNFINISHED.test(text.slice(at + 1, at + MAX_SEQUENCE))) return WAIT
  return withAlt(text, at)
}

/** What the terminal answers: it ends with a bell or with an escape and a backslash. */
function command(text: string, at: number, isLast: boolean): Taken {
  const ends = [BEL, `${ESC}\\`].flatMap((end) => {
    const found = text.indexOf(end, at)
    return found < 0 ? [] : [{ found, length: found + end.length - at }]
  })
  const [first] = ends.sort((a, b) => a.found - b.found)
  if (first) return { input: background(text.slice(at + 2, first.found)), length: first.length }
  return isLast || text.length - at > MAX_SEQUENCE ? withAlt(text, at) : WAIT
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Escape before a character is alt with it; by itself it is the key of that name. */
function withAlt(text: string, at: number): Taken {
  const following = text[at + 1]
  if (following === undefined || following < ' ' || following === '[' || following === ']')
    return { input: named('esc'), length: 1 }
  const { input, length } = typed(text, at + 1)
  return { input: input?.type === 'key' ? named(`alt+${input.key}`) : undefined, length: length + 1 }
}

function typed(text: string, at: number): Taken {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  const control = CONTROLS[character]
  if (control !== undefined) return { input: named(control), length: character.length }
  if (character >= ' ') return { input: named(character), length: character.length }
  return { input: named(`ctrl+${String.fromCharCode(character.charCodeAt(0) + 96)}`), length: 1 }
}

/** Pasted text, which is never taken for keys; one whose end does not come is given up. */
function paste(text: string, at: number, from: number): Taken {
  const end = text.indexOf(PASTE_END, from)
  if (end < 0 && text.length - from < MAX_PASTE) return WAIT
  const pasted = text.slice(from, end < 0 ? undefined : end)
  return {
    input: { type: 'paste', text: pasted },
    length: from - at + pasted.length + (end < 0 ? 0 : PASTE_END.length),
  }
}

const named = (key: string | undefined): Input | undefined => (key === undefined ? undefined : { type: 'key', key })

function sequence([, prefix, parameters = '', final = '']: RegExpExecArray): Input | undefined {
  if (prefix === '<') return mouse(parameters, final)
  if (prefix !== '') return undefined
  const [number = '', modifiers = ''] = parameters.split(';')
  const key = final === '~' ? NUMBERS[number] : LETTERS[final]
  return key === undefined ? undefined : named(`${modifiersOf(modifiers)}${key}`)
}

/** Terminals count modifiers from 1: shift is 1 more, alt 2, ctrl 4. */
function modifiersOf(parameter: string): string {
  const bits = Math.max(0, Number(parameter || 1) - 1)
  return `${bits & 4 ? 'ctrl+' : ''}${bits & 2 ? 'alt+' : ''}${bits & 1 ? 'shift+' : ''}`
}

/** A press of the left button or a turn of the wheel; everything else of the mouse means nothing here. */
function mouse(parameters: string, final: string): Input | undefined {
  const [button = -1, column = 0, line = 0] = parameters.split(';').map(Number)
  const action = button === 0 ? 'press' : button === 64 ? 'wheel-up' : button === 65 ? 'wheel-down' : undefined
  if (action === undefined || final !== 'M') return undefined
  return { type: 'mouse', action, x: column - 1, y: line - 1 }
}

/** The answer to the question for the background: `11;rgb:ffff/ffff/ffff`. */
function background(text: string): Input | undefined {
  const [, red, green, blue] = /^11;rgba?:([\da-f]+)\/([\da-f]+)\/([\da-f]+)/i.exec(text) ?? []
  if (red === undefined || green === undefined || blue === undefined) return undefined
  const share = (hex: string) => Number.parseInt(hex, 16) / (16 ** hex.length - 1)
  const luminance = 0.299 * share(red) + 0.587 * share(green) + 0.114 * share(blue)
  return { type: 'background', isLight: luminance > 0.5 }
}
