import type { IParser, Terminal } from '@xterm/headless'

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

/** How much of a list of colours that are asked for is read. */
const MAX_COLOURS_ASKED = 4096

type Respond = (text: string) => void

/**
 * Answers what the emulator itself leaves unanswered: full-screen programs wait for it before they draw.
 * Returns the keyboard flags that a program has requested.
 */
export function registerQueryResponses(terminal: Terminal, say: Respond): () => number {
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
