import { appendFileSync } from 'node:fs'

/**
 * A program that shows a menu before its input line, for tests. `--log F` appends a line for each confirmed option;
 * `--deaf` ignores Enter, `--stiff` does not move its marker, `--changes` shows another question as soon as its marker
 * should move, `--ends` exits when its last option is confirmed.
 */
const given = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : (process.argv[at + 1] ?? '')
}
const has = (name: string): boolean => process.argv.includes(`--${name}`)
const log = given('log')
const folder = process.cwd()

let asks = ' Accessing workspace:'
const options = ['Yes, I trust this folder', 'Yes, and the folder above', 'No, exit']
let at = 0
let open = true

function rows(): string[] {
  if (!open) return ['────────────', '❯ ', '────────────']
  const menu = options.map((option, index) => `${index === at ? '❯' : ' '} ${index + 1}. ${option}`)
  return ['─'.repeat(40), asks, ` ${folder}`, '', ...menu, '', ' Enter to confirm · Esc to cancel']
}

function draw(): void {
  const text = rows().join('\r\n')
  process.stdout.write(`\x1b[2J\x1b[H${text}${open ? '' : '\x1b[2;3H'}`)
}

function move(by: number): void {
  if (has('stiff')) return
  if (has('changes')) asks = ' Select login method:'
  at = Math.min(Math.max(0, at + by), options.length - 1)
}

function confirm(): void {
  if (has('deaf')) return
  if (log) appendFileSync(log, `${options[at]}\n`)
  if (has('ends') && at === options.length - 1) process.exit(0)
  open = false
}

process.stdin.setRawMode(true)
process.stdin.on('data', (bytes) => {
  for (const key of bytes
    .toString()
    .replaceAll('\r', '\n\r')
    .replaceAll('\x1b', '\n\x1b')
    .split('\n')
    .filter(Boolean)) {
    if (!open) continue
    if (key === '\x1b[B') move(1)
    else if (key === '\x1b[A') move(-1)
    else if (key === '\r') confirm()
    else if (log) appendFileSync(log, `key ${JSON.stringify(key)}\n`)
  }
  draw()
})
draw()
