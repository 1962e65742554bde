/**
 * A stand-in for Claude Code, run in a terminal: it writes a conversation as Claude would, and follows lines `<step>
 * <word>` in the file that its variable STEPS names, each for the session of this alias.
 */
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const { HOME = '', STEPS = '', GC_ALIAS = '' } = process.env
const folder = join(HOME, '.claude/projects', process.cwd().replace(/[^A-Za-z0-9]/g, '-'))
let session: string = randomUUID()
let parent: string | null = null

function put(record: object, path = join(folder, `${session}.jsonl`)): void {
  mkdirSync(dirname(path), { recursive: true })
  const uuid = randomUUID()
  const place = { parentUuid: parent, isSidechain: false, sessionId: session, cwd: process.cwd(), uuid }
  appendFileSync(path, `${JSON.stringify({ ...place, timestamp: new Date().toISOString(), ...record })}\n`)
  parent = uuid
}

const asks = (content: string) => ({ type: 'user', message: { role: 'user', content } })

/** An answer of so many tokens. */
const says = (text: string, output_tokens: number, more: object = {}) => ({
  type: 'assistant',
  message: {
    ...{ id: `msg_${text}`, role: 'assistant', model: 'claude-sonnet-4-5', stop_reason: 'end_turn' },
    content: [{ type: 'text', text }],
    usage: { input_tokens: 1, output_tokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  },
  ...more,
})

const STEP: Record<string, (word: string) => void> = {
  answer: (word) => put(says(word, 10)),
  /** Each block of an answer names what was used so far. */
  blocks: (word) => [1, 1, 100].map((tokens) => put(says(word, tokens))),
  agent: (word) => {
    const path = join(folder, session, 'subagents', `agent-${word}.jsonl`)
    put({ ...asks(`work on ${word}`), isSidechain: true }, path)
    put(says(`by-agent-${word}`, 500, { isSidechain: true, agentId: word }), path)
  },
  /** Earlier versions keep the files of sub-agents beside the conversation, or their entries in it. */
  oldAgent: (word) =>
    put(says(`by-old-agent-${word}`, 300, { isSidechain: true }), join(folder, `agent-${word}.jsonl`)),
  sidechain: (word) => {
    const before = parent
    put(says(word, 70, { isSidechain: true, parentUuid: null }))
    parent = before
  },
  clear: (word) => {
    session = randomUUID()
    parent = null
    put(asks('<command-name>/clear</command-name>'))
    put(says(word, 40))
  },
  /** Edits the last message, so that its branch is abandoned. */
  rewind: (word) => {
    put(says(`${word}-abandoned`, 200, { parentUuid: null }))
    parent = null
    put(asks(`instead of ${word}`))
    put(says(word, 20))
  },
  /** A fork begins with a copy of the conversation so far. */
  fork: (word) => {
    const copied = readFileSync(join(folder, `${session}.jsonl`), 'utf8')
    session = randomUUID()
    appendFileSync(join(folder, `${session}.jsonl`), copied)
    put(says(word, 30))
  },
  resume: (word) => {
    const [key = '', text = ''] = word.split(':')
    session = key
    parent = null
    put(says(text, 60))
  },
}

put(asks(process.argv.at(-1) ?? ''))
process.stdout.write('\x1b[2J\x1b[H> ')
let done = 0
for (;;) {
  await Bun.sleep(30)
  const steps = existsSync(STEPS) ? readFileSync(STEPS, 'utf8').split('\n').slice(0, -1) : []
  for (const line of steps.slice(done)) {
    const [alias, step = '', word = ''] = line.split(' ')
    if (alias === GC_ALIAS) STEP[step]?.(word)
  }
  done = steps.length
}
