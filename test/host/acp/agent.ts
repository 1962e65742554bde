// An ACP agent that does what its prompt says, including what the protocol forbids.
import { appendFileSync } from 'node:fs'

interface Message {
  id?: number | string
  method?: string
  params?: { sessionId?: string; prompt?: { text: string }[]; modeId?: string; cwd?: string }
  result?: unknown
  error?: { message: string }
}

const { SLOW_MS = '0', LOGIN, MODES, MODELS, HISTORY, LOG } = process.env
const SESSION = `conversation-${process.pid}`
const waiting = new Map<string | number, (answer: Message) => void>()
let requestCount = 0
let cancelled = false
let stop: (() => void) | undefined

const write = (line: string) => process.stdout.write(`${line}\n`)
const send = (message: object) => write(JSON.stringify({ jsonrpc: '2.0', ...message }))
const tell = (update: object) => send({ method: 'session/update', params: { sessionId: SESSION, update } })
const say = (text: string) => tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
const ask = (method: string, params: object): Promise<Message> => {
  const id = `agent-${++requestCount}`
  send({ id, method, params: { sessionId: SESSION, ...params } })
  return new Promise((resolve) => waiting.set(id, resolve))
}

const CHOICES = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'ever', name: 'Always', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
]

const FORM = {
  elicitationId: 'e',
  url: 'https://example.com',
  message: 'Where shall it go?',
  requestedSchema: {
    type: 'object',
    properties: {
      place: { type: 'string', title: 'Place', enum: ['staging', 'production'] },
      sizes: {
        type: 'array',
        title: 'Sizes',
        items: {
          anyOf: [
            { const: 's', title: 'Small' },
            { const: 'l', title: 'Large' },
          ],
        },
      },
      sure: { type: 'boolean', title: 'Sure', description: 'Whether you are sure' },
      count: { type: 'integer', title: 'Count', default: 2 },
    },
    required: ['place'],
  },
}

/** Requests permission, which names the folder of the command if there is one, and follows the answer. */
async function permitted(toolCallId: string, cwd?: string): Promise<void> {
  tell({ sessionUpdate: 'tool_call', toolCallId, title: `make ${toolCallId}`, kind: 'execute', status: 'pending' })
  const toolCall = { toolCallId, title: `make ${toolCallId}`, rawInput: { command: `make ${toolCallId}`, cwd } }
  const { result } = await ask('session/request_permission', { toolCall, options: CHOICES })
  const { outcome } = result as { outcome: { outcome: string; optionId?: string } }
  const allowed = outcome.optionId === 'yes' || outcome.optionId === 'ever'
  const content = [{ type: 'content', content: { type: 'text', text: `made ${toolCallId}` } }]
  tell({
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: allowed ? 'completed' : 'failed',
    ...(allowed && { content, rawOutput: { output: `made ${toolCallId}`, exit: 0 } }),
  })
  say(`${toolCallId}: ${outcome.optionId ?? outcome.outcome}. `)
}

async function flood(count: number): Promise<void> {
  const entry = { content: 'x'.repeat(1000), priority: 'low', status: 'pending' }
  for (let at = 0; at < count; at++) {
    const line = {
      method: 'session/update',
      params: {
        sessionId: SESSION,
        update: { sessionUpdate: 'plan', entries: [{ ...entry, content: `${at} ${entry.content}` }] },
      },
    }
    if (!send(line)) await new Promise<void>((resolve) => process.stdout.once('drain', () => resolve()))
    if (LOG && at % 100 === 0) appendFileSync(LOG, `${at}\n`)
  }
}

/** Reports a tool call whose input is lists in lists, so many levels of them. */
function deep(levels: number): void {
  const update = { sessionUpdate: 'tool_call', toolCallId: 'deep', title: 'deep', rawInput: 'INPUT' }
  const line = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: SESSION, update } })
  write(line.replace('"INPUT"', '['.repeat(levels) + ']'.repeat(levels)))
}

async function command(line: string): Promise<void> {
  const created = await ask('terminal/create', { command: line })
  if (created.error) return void say(created.error.message)
  const { terminalId } = created.result as { terminalId: string }
  await ask('terminal/wait_for_exit', { terminalId })
  const { result } = await ask('terminal/output', { terminalId })
  say(JSON.stringify(result))
  await ask('terminal/release', { terminalId })
}

async function turn(text: string): Promise<object | undefined> {
  const [verb = '', ...words] = text.split(' ')
  const rest = words.join(' ')
  if (verb === 'say') for (const word of words) say(`${word} `)
  if (verb === 'think') tell({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: rest } })
  if (verb === 'plan')
    tell({ sessionUpdate: 'plan', entries: [{ content: rest, priority: 'high', status: 'pending' }] })
  if (verb === 'use') tell({ sessionUpdate: 'usage_update', used: 500, size: 2000 })
  if (verb === 'ask') await Promise.all(words.map((word) => permitted(word)))
  if (verb === 'make') await permitted(rest, process.cwd())
  if (verb === 'form') {
    const { result, error } = await ask('elicitation/create', { mode: rest || 'form', ...FORM })
    say(error ? error.message : JSON.stringify(result))
  }
  if (verb === 'flood') await flood(Number(rest))
  if (verb === 'garbage') write('this is not a message')
  if (verb === 'deep') deep(Number(rest))
  if (verb === 'die') {
    process.stderr.write('out of luck\n')
    process.exit(3)
  }
  if (verb === 'refuse') return { error: { code: -32603, message: 'Internal error', data: { details: 'no credit' } } }
  if (verb === 'limit') return { error: { code: -32603, message: 'Usage limit reached, try again at noon' } }
  if (verb === 'run') await command(rest)
  if (verb === 'leave') await ask('terminal/create', { command: rest })
  if (verb === 'read') {
    const { result, error } = await ask('fs/read_text_file', { path: rest })
    say(error ? error.message : String(Object(result).content))
  }
  if (verb === 'write') {
    const { error } = await ask('fs/write_text_file', { path: words[0], content: words.slice(1).join(' ') })
    say(error ? error.message : 'written')
  }
  if (verb === 'wait') await new Promise<void>((resolve) => (stop = resolve))
  if (verb === 'stubborn') await new Promise(() => {})
  return undefined
}

async function request({ id, method, params = {} }: Message): Promise<void> {
  if (method === 'initialize') {
    await Bun.sleep(Number(SLOW_MS))
    const authMethods = [{ id: 'login', name: 'Log in', description: 'run `agent login`' }]
    send({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true }, authMethods } })
  } else if (method === 'session/new') {
    if (LOGIN) return void send({ id, error: { code: -32000, message: 'Authentication required' } })
    const availableModes = (MODES ?? '')
      .split(',')
      .filter(Boolean)
      .map((mode) => ({ id: mode, name: mode }))
    const modes = MODES ? { modes: { currentModeId: availableModes[0]?.id, availableModes } } : {}
    const availableModels = (MODELS ?? '').split(',').map((modelId) => ({ modelId, name: modelId }))
    const models = MODELS ? { models: { currentModelId: availableModels[0]?.modelId, availableModels } } : {}
    send({ id, result: { sessionId: SESSION, ...modes, ...models } })
  } else if (method === 'session/load') {
    if (!HISTORY) return void send({ id, error: { code: -32002, message: 'Resource not found' } })
    say('what was said before')
    send({ id, result: {} })
  } else if (method === 'session/set_mode') {
    tell({ sessionUpdate: 'current_mode_update', currentModeId: params.modeId })
    send({ id, result: {} })
  } else if (method === 'session/set_model') {
    send({ id, result: {} })
  } else if (method === 'session/prompt') {
    cancelled = false
    const done = (await turn(params.prompt?.[0]?.text.split('\n').at(-1) ?? '')) ?? {
      result: {
        stopReason: cancelled ? 'cancelled' : 'end_turn',
        usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 },
      },
    }
    send({ id, ...done })
  } else send({ id, error: { code: -32601, message: `Method not found: ${method}` } })
}

let rest = ''
for await (const bytes of Bun.stdin.stream()) {
  const lines = (rest + new TextDecoder().decode(bytes)).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) {
    const message = JSON.parse(line) as Message
    if (LOG) appendFileSync(LOG, `${line}\n`)
    if (message.method === 'session/cancel') {
      cancelled = true
      stop?.()
    } else if (message.method) void request(message)
    else if (message.id !== undefined) waiting.get(message.id)?.(message)
  }
}
