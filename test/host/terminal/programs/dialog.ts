import { appendFileSync } from 'node:fs'

/**
 * A program that shows a menu before its input line, for tests. `--log F` appends a line for each confirmed option;
 * `--deaf` ignores Enter, `--stiff` does not move its marker, `--changes` shows another question as soon as its marker
 * should move, `--ends` exits when its last option is confirmed, `--boxes` has boxes to tick with Space and a row that
 * submits them.
 */
const given = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : (process.argv[at + 1] ?? '')
}
const has = (name: string): boolean => process.argv.includes(`--${name}`)
const log = given('log')
const folder = process.cwd()

let asks = ' Accessing workspace:'
const boxes = has('boxes')
const options = boxes
  ? ['Red', 'Blue', 'Green', 'Submit']
  : ['Yes, I trust this folder', 'Yes, and the folder above', 'No, exit']
const ticked = new Set<number>()
let at = 0
let open = true

function rows(): string[] {
  if (!open) return ['────────────', '❯ ', '────────────']
  const box = (index: number) => (boxes ? `[${ticked.has(index) ? '✔' : ' '}] ` : '')
  const menu = options.map((option, index) => {
    const name = option === 'Submit' ? `   ${option}` : `${index + 1}. ${box(index)}${option}`
    return `${index === at ? '❯' : ' '} ${name}`
  })
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

function tick(): void {
  if (!ticked.delete(at)) ticked.add(at)
}

function confirm(): void {
  if (has('deaf')) return
  const chosen = boxes ? options.filter((_, index) => ticked.has(index)).join(' and ') : options[at]
  if (log) appendFileSync(log, `${chosen}\n`)
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
    else if (key === ' ' && boxes) tick()
    else if (log) appendFileSync(log, `key ${JSON.stringify(key)}\n`)
  }
  draw()
})
draw()
