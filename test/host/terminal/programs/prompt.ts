import { appendFileSync } from 'node:fs'

/**
 * A full-screen program with an input line, for tests. Its options:
 * `--log F` file for submitted input, `--prefix P`, `--delay MS` before the first draw, `--ask` a dialog until `y` is
 * pressed, `--busy MS` after each submit, `--paste` enables bracketed paste, `--late MS` does so with a delay,
 * `--collapse` shows a long paste as a placeholder, `--mute` does not echo input, `--deaf N` ignores the first N Enters,
 * `--blink MS` shows nothing for that long after an ignored Enter, `--hidden` draws its own cursor, `--guard MS` takes
 * an Enter soon after a paste for a new line; Escape twice ends a turn.
 */
const given = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : (process.argv[at + 1] ?? '')
}
const has = (name: string): boolean => process.argv.includes(`--${name}`)
const prefix = given('prefix') ?? '> '
const log = given('log')
const busyFor = Number(given('busy') ?? 0)
let deaf = Number(given('deaf') ?? 0)
let asking = has('ask')
let busy = false
let escapes = 0
/** The time of the last paste. */
let since = Number.NEGATIVE_INFINITY
let input = ''
const history: string[] = []

const shownInput = (): string => {
  if (has('mute')) return ''
  const lines = input.split('\n').length
  return has('collapse') && lines > 2 ? `[Pasted ~${lines} lines]` : input
}

function draw(): void {
  const rows = asking
    ? ['Do you trust this folder?', `${prefix}1. Yes`, '  2. No']
    : [...history, '╭────────', ...`${prefix}${shownInput()}`.split('\n').map((row) => `│ ${row}`)]
  const cursor = has('hidden') ? '\x1b[?25l\x1b[20;1H' : '\x1b[?25h'
  const below = busy ? '\x1b7\n  working (esc to interrupt)\x1b8' : ''
  process.stdout.write(`\x1b[2J\x1b[H${rows.join('\r\n')}${below}${cursor}`)
}

/** Shows nothing for a while. */
function blink(): void {
  if (!has('blink')) return
  setTimeout(() => process.stdout.write('\x1b[2J\x1b[H'), 0)
  setTimeout(draw, Number(given('blink')))
}

function submit(): void {
  if (deaf-- > 0) {
    blink()
    return
  }
  if (log) appendFileSync(log, `${JSON.stringify(input)}\n`)
  history.push(...`${prefix}${input}`.split('\n'))
  input = ''
  if (busyFor === 0) return
  busy = true
  setTimeout(() => {
    busy = false
    draw()
  }, busyFor)
}

function key(char: string): void {
  if (asking) {
    if (log) appendFileSync(log, `${JSON.stringify(`key ${char}`)}\n`)
    asking = char !== 'y'
  } else if (char === '\r' && performance.now() - since < Number(given('guard') ?? 0)) input += '\n'
  else if (char === '\r') submit()
  else if (char === '\x15') input = input.slice(0, input.lastIndexOf('\n') + 1)
  else if (char === '\x7f') input = input.slice(0, -1)
  else if (char === '\x03') process.exit(0)
  else if (char === '\x1b') busy = busy && ++escapes % 2 === 1
  else input += char
}

function read(chunk: string): void {
  if (chunk === '\x1b\x1b') return
  const [typed = '', ...pastes] = chunk.split('\x1b[200~')
  for (const char of typed) key(char)
  for (const paste of pastes) {
    const [text = '', after = ''] = paste.split('\x1b[201~')
    if (!asking) input += text
    since = performance.now()
    for (const char of after) key(char)
  }
  draw()
}

process.stdin.setRawMode(true)
process.stdin.on('data', (bytes) => read(bytes.toString()))
setTimeout(
  () => {
    const mark = () => process.stdout.write('\x1b[?2004h')
    if (has('late')) setTimeout(mark, Number(given('late')))
    else if (has('paste')) mark()
    draw()
  },
  Number(given('delay') ?? 0),
)
