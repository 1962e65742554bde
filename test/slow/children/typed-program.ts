/**
 * A stand-in for Claude Code that is typed to: it shows what is typed behind its prompt, and on Enter it logs that as a turn, as
 * Claude would, with an answer. A file `typing` says that somebody began to type.
 */
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const { HOME = '', GC_HOME = '', GC_SESSION_ID = '', GC_TOKEN = '' } = process.env
const folder = join(HOME, '.claude/projects', process.cwd().replace(/[^A-Za-z0-9]/g, '-'))
const sessionId = randomUUID()
let parentUuid: string | null = null
let typed = ''

function put(record: object): void {
  const uuid = randomUUID()
  const place = { parentUuid, isSidechain: false, sessionId, cwd: process.cwd(), uuid }
  const line = { ...place, timestamp: new Date().toISOString(), ...record }
  appendFileSync(join(folder, `${sessionId}.jsonl`), `${JSON.stringify(line)}\n`)
  parentUuid = uuid
}

function turn(content: string): void {
  put({ type: 'user', message: { role: 'user', content } })
  put({
    type: 'assistant',
    message: {
      ...{ id: `msg_${randomUUID()}`, role: 'assistant', model: 'claude-sonnet-4-5', stop_reason: 'end_turn' },
      content: [{ type: 'text', text: 'done' }],
      usage: { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    },
  })
}

const drawPrompt = () => process.stdout.write('\x1b[2J\x1b[H> ')

mkdirSync(folder, { recursive: true })
writeFileSync(join(GC_HOME, `token.${GC_SESSION_ID}`), GC_TOKEN, { mode: 0o600 })
turn('begin')
process.stdin.setRawMode(true)
drawPrompt()
for await (const chunk of process.stdin) {
  for (const key of String(chunk)) {
    if (key === '\r') {
      if (typed !== '') turn(typed)
      typed = ''
      drawPrompt()
    } else if (key === '\x15' || key === '\x03' || key === '\x1b') {
      typed = ''
      drawPrompt()
    } else {
      if (typed === '') writeFileSync(join(HOME, 'typing'), '')
      typed += key
      process.stdout.write(key)
    }
  }
}
