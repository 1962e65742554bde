import { appendFileSync } from 'node:fs'

/**
 * A program that asks for permission as Claude Code does, for tests: it wraps what it asks about at the edge of its
 * terminal and cuts it where that is too low. `--text T` is asked about, `--times N` times over; `--log F` gets a line for
 * each confirmed option.
 * `--redraws` draws ten times a second, `--half` draws its options half a second late, `--again` asks the same again.
 */
const given = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : (process.argv[at + 1] ?? '')
}
const has = (name: string): boolean => process.argv.includes(`--${name}`)
const text = (given('text') ?? 'make').repeat(Number(given('times') ?? 1))

const options = ['Yes', 'Yes, and don’t ask again', 'No']
let at = 0
let open = true
let isWhole = !has('half')
let frame = 0

function wrapped(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const rows = ['']
    for (const word of line.split(' ')) {
      const row = rows.at(-1) ?? ''
      if (row.length + 1 + word.length > width) rows.push(word)
      else rows[rows.length - 1] = row === '' ? word : `${row} ${word}`
    }
    return rows
  })
}

function rows(): string[] {
  const { columns, rows: height } = process.stdout
  if (!open) return ['─'.repeat(columns - 1), '❯ ', '─'.repeat(columns - 1)]
  const command = [' Bash command', ...wrapped(text, columns - 6).map((row) => `   ${row}`)]
  const asks = wrapped('This command requires approval', columns - 2).map((row) => ` ${row}`)
  const menu = options.map((option, index) => ` ${index === at ? '❯' : ' '} ${index + 1}. ${option}`)
  const whole = ['─'.repeat(columns), ...command, '', ...asks, '', ' Do you want to proceed?', ...(isWhole ? menu : [])]
  const room = height - 4
  const cut = whole.length - room
  const shown = cut > 0 ? [...whole.slice(cut), ` ↑ ${cut} more lines`] : whole
  return [...shown, '', ` Esc to cancel ${'⠋⠙⠹⠸'[frame++ % 4]}`]
}

const draw = (): void => {
  process.stdout.write(`\x1b[2J\x1b[H${rows().join('\r\n')}${open ? '' : '\x1b[2;3H'}`)
}

function confirm(): void {
  const log = given('log')
  if (log) appendFileSync(log, `${options[at]}\n`)
  open = false
  if (has('again')) setTimeout(ask, 1000)
}

function ask(): void {
  open = true
  at = 0
  draw()
}

process.stdin.setRawMode(true)
process.stdin.on('data', (bytes) => {
  const keys = bytes.toString().replaceAll('\r', '\n\r').replaceAll('\x1b', '\n\x1b').split('\n')
  for (const key of keys.filter(Boolean)) {
    if (!open) continue
    if (key === '\r') confirm()
    else if (key === '\x1b[B') at = Math.min(at + 1, options.length - 1)
    else if (key === '\x1b[A') at = Math.max(at - 1, 0)
  }
  draw()
})
process.stdout.on('resize', draw)
if (has('redraws')) setInterval(draw, 100)
if (has('half')) {
  setTimeout(() => {
    isWhole = true
    draw()
  }, 200)
}
draw()
