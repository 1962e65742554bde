/** Effects on a viewer's terminal that a program may use, if the viewer asked for them. */
export const VIEWER_EFFECTS = ['title', 'clipboard', 'notifications'] as const
export type ViewerEffect = (typeof VIEWER_EFFECTS)[number]

/** Modes that a drawing needs, or that send keys, pastes and clicks to the program; a viewer resets them in the end. */
const MODES = new Set([
  ...['1', '5', '6', '7', '12', '25', '47', '66', '1047', '1048', '1049'],
  ...['1000', '1002', '1003', '1004', '1006', '1016', '2004', '2026'],
])
/** Insert mode; others lock the keyboard, echo keys or change what Enter sends. */
const ANSI_MODES = new Set(['4'])
/** Moves, erases, inserts, deletes and scrolls. */
const FINALS = new Set('@ABCDEFGHIJKLMPSXZ`abdefm')
/** Saved and restored cursor, index, next line, reverse index, keypad, and G0 with ASCII or lines. */
const ESCAPES = new Set(['7', '8', 'D', 'E', 'M', '=', '>', '(B', '(0'])
/** Output of a full reset, without its effects on the terminal itself. */
const CLEARED = '\x1b[0m\x1b(B\x1b[r\x1b[?6l\x1b[?7h\x1b[?25h\x1b[4l\x1b[H\x1b[2J'
const LINK = /^(?:https?|mailto):[!-~]{0,2048}$/i
const MAX_TEXT = 200
const [CONTROLS, HIDDEN] = [/\p{Cc}/gu, /[\p{Cf}\p{Zl}\p{Zp}]/gu]

/** A sequence, given without its escape and its end, as it may be shown; empty where it does not draw. */
export function drawing(sequence: Buffer, effects: ReadonlySet<ViewerEffect>): string {
  const text = sequence.toString('latin1')
  if (text.startsWith('[')) return control(text.slice(1))
  if (text.startsWith(']')) return command(sequence.subarray(1).toString('utf8'), effects)
  if (text === 'c') return CLEARED
  return ESCAPES.has(text) ? `\x1b${text}` : ''
}

const CONTROL = /^([<=>?]?)([\d;:]*)([ -/]*)([@-~])$/

function control(text: string): string {
  const [, prefix = '', numbers = '', between = '', final = ''] = CONTROL.exec(text) ?? []
  if (between !== '') return prefix === '' && SOFT.has(between + final) ? `\x1b[${numbers}${between}${final}` : ''
  switch (prefix) {
    case '':
      return plainControl(numbers, final)
    case '?':
      return modes(numbers, final, MODES, '?')
    case '>':
      // What keys with Ctrl and Alt send, as xterm has it.
      if (final === 'm') return /^4(;[0-2]?)?$/.test(numbers) ? `\x1b[>${numbers}m` : ''
      return keyboard(prefix, numbers, final)
    default:
      return keyboard(prefix, numbers, final)
  }
}

/** The shape of the cursor, and a reset of modes. */
const SOFT = new Set([' q', '!p'])

function plainControl(numbers: string, final: string): string {
  if (final === 'h' || final === 'l') return modes(numbers, final, ANSI_MODES, '')
  // What was scrolled off the screen is the viewer's.
  if (final === 'J' && numbers === '3') return ''
  // With more numbers it begins to track the mouse.
  if (final === 'T') return numbers.includes(';') ? '' : `\x1b[${numbers}T`
  if (final === 's' || final === 'u') return numbers === '' ? `\x1b[${final}` : ''
  return FINALS.has(final) || final === 'r' ? `\x1b[${numbers}${final}` : ''
}

function modes(numbers: string, final: string, known: ReadonlySet<string>, prefix: string): string {
  const taken = numbers.split(';').filter((number) => known.has(number))
  return (final === 'h' || final === 'l') && taken.length > 0 ? `\x1b[${prefix}${taken.join(';')}${final}` : ''
}

/** Flags of kitty's keyboard protocol replace those of the viewer's own entry: no program empties the stack of a terminal. */
function keyboard(prefix: string, numbers: string, final: string): string {
  if (final !== 'u') return ''
  if (prefix === '<') return '\x1b[=0;1u'
  if (prefix === '>') return `\x1b[=${/^\d{1,2}$/.test(numbers) ? numbers : '0'};1u`
  return prefix === '=' && /^\d{1,2}(;[1-3])?$/.test(numbers) ? `\x1b[=${numbers}u` : ''
}

function command(text: string, effects: ReadonlySet<ViewerEffect>): string {
  const [, code = '', rest = ''] = /^(\d{1,4});([\s\S]*)$/.exec(text) ?? []
  switch (code) {
    case '8':
      return link(rest)
    case '0':
    case '2':
      return effects.has('title') ? `\x1b]2;${plain(rest)}\x07` : ''
    case '52':
      return effects.has('clipboard') ? clipboard(rest) : ''
    case '9':
    case '777':
    case '99':
      return effects.has('notifications') ? `\x1b]${code};${plain(rest)}\x07` : ''
    default:
      return ''
  }
}

/** A link that a browser or a mail program opens; text of any other keeps its place, without the link. */
function link(rest: string): string {
  const [, parameters = '', address = ''] = /^([^;]*);([\s\S]*)$/.exec(rest) ?? []
  if (address === '') return '\x1b]8;;\x1b\\'
  if (!LINK.test(address)) return ''
  const [id = ''] = /\bid=[\w.-]{1,64}/.exec(parameters) ?? []
  return `\x1b]8;${id};${address}\x1b\\`
}

/** Puts text on the clipboard; reading the clipboard is not allowed. */
function clipboard(rest: string): string {
  const [, base64] = /^[cpqs0-7]{0,9};([A-Za-z0-9+/]+={0,2})$/.exec(rest) ?? []
  return base64 === undefined ? '' : `\x1b]52;c;${base64}\x07`
}

const plain = (text: string): string => text.replace(CONTROLS, ' ').replace(HIDDEN, '').slice(0, MAX_TEXT)
