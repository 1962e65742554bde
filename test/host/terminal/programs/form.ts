import { appendFileSync } from 'node:fs'

/**
 * A program that shows a form of a server as Claude Code draws it, for tests: what a field takes shows only where the
 * mark stands. It writes what was accepted or declined to the file of its first argument.
 */
const [log = ''] = process.argv.slice(2)
const fields = [
  { name: 'Place', about: 'Where it goes', choices: ['Staging', 'Production', 'Nowhere at all'], several: false },
  { name: 'Sizes', about: 'Which sizes', choices: ['small', 'large', 'huge'], several: true },
  { name: 'Sure', about: 'Whether you are sure' },
  { name: 'Note', about: 'What to say', text: '' },
]
const taken = new Map<string, Set<string>>(fields.map(({ name }) => [name, new Set()]))
let at = 0
let isDeclining = false
let openAt: number | undefined

const takenOf = (name: string): Set<string> => taken.get(name) ?? new Set()

function shownValue({ name, choices, text }: (typeof fields)[number], isMarked: boolean): string {
  const value = [...takenOf(name)].join(', ')
  if (choices)
    return `${isMarked ? (openAt === undefined ? '▸ ' : '▾') : ''}${isMarked && openAt !== undefined ? '' : value || 'not set'}`
  if (text !== undefined) return value || (isMarked ? 'Type something…' : 'not set')
  return value ? '☒' : isMarked ? '☐' : 'not set'
}

function fieldRows(field: (typeof fields)[number], index: number): string[] {
  const isMarked = index === at
  const box = (choice: string) => {
    const isTaken = takenOf(field.name).has(choice)
    return field.several ? (isTaken ? '☒' : '☐') : isTaken ? '◉' : '◯'
  }
  const open = isMarked && openAt !== undefined ? (field.choices ?? []) : []
  return [
    `  ${isMarked ? '❯' : ' '} ${takenOf(field.name).size > 0 ? '✔' : index === 0 ? '*' : ' '} ${field.name}: ${shownValue(field, isMarked)}`,
    ...open.map((choice, place) => `        ${place === openAt ? '❯' : ' '} ${box(choice)} ${choice}`),
    `        ${field.about}`,
    '',
  ]
}

function draw(): void {
  const isSending = at === fields.length
  const buttons = `  ${isSending && !isDeclining ? '❯' : ' '} Accept  ${isSending && isDeclining ? '❯ ' : '  '}Decline`
  const rows = ['─'.repeat(40), '  MCP server “deploy” requests your input', '', '  Where shall it go?', '']
  const all = [...rows, ...fields.flatMap(fieldRows), buttons, '', '  Esc to cancel · ↑/↓ to navigate']
  process.stdout.write(`\x1b[2J\x1b[H${all.join('\r\n')}`)
}

function end(action: string): void {
  const content = Object.fromEntries([...taken].map(([name, values]) => [name, [...values]]))
  appendFileSync(log, JSON.stringify({ action, ...content }))
  process.exit(0)
}

function select(): void {
  const field = fields[at]
  if (!field) return
  const values = takenOf(field.name)
  const value = field.choices ? field.choices[openAt ?? -1] : 'yes'
  if (value === undefined || field.text !== undefined) return
  const wasTaken = values.has(value)
  if (field.choices && !field.several) values.clear()
  if (wasTaken) values.delete(value)
  else values.add(value)
  if (field.choices && !field.several) openAt = undefined
}

function press(key: string): void {
  const { choices = [] } = fields[at] ?? {}
  if (key === '\x1b[C' && at === fields.length) isDeclining = true
  else if (key === '\x1b[C' && choices.length > 0) openAt ??= 0
  else if (key === '\x1b[D') openAt = undefined
  else if (key === '\x1b[B' && openAt !== undefined) openAt = Math.min(openAt + 1, choices.length - 1)
  else if (key === '\x1b[A' && openAt !== undefined) openAt = openAt === 0 ? undefined : openAt - 1
  else if (key === '\x1b[B') at = Math.min(at + 1, fields.length)
  else if (key === '\x1b[A') at = Math.max(at - 1, 0)
  else if (key === ' ' && fields[at]?.text === undefined) select()
  else if (key === '\r' && at === fields.length) end(isDeclining ? 'decline' : 'accept')
  else if (fields[at]?.text !== undefined) takenOf(fields[at]?.name ?? '').add(key)
}

process.stdin.setRawMode(true)
process.stdin.on('data', (bytes) => {
  const keys = bytes.toString().replaceAll('\x1b', '\n\x1b').replaceAll('\r', '\n\r').split('\n')
  for (const key of keys.filter(Boolean)) press(key)
  draw()
})
draw()
