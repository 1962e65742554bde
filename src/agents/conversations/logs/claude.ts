import { callBlock, imageBlock, once, resultBlock, textBlock, thinkingBlock, wordsOf } from '../entries/blocks.ts'
import type { Entry, Tokens, Use } from '../entries/entry.ts'
import { items, type Json, moment, number, object, present, text, textOf } from '../entries/json.ts'
import type { Native, View } from '../entries/log-reader.ts'
import { mapped, type Steps } from '../entries/slices.ts'
import type { ToolCall } from '../entries/tool-kinds.ts'
import type { Block } from '../structured/blocks.ts'
import { Calls } from './calls.ts'
import { type Branch, branchOf, continued } from './claude-branch.ts'

const SPEAKERS = ['user', 'assistant', 'system', 'result'] as const
const INTERRUPTED = /^\[Request interrupted by user/
/** What the program tells itself in a person's name: output of its own commands and the like. */
const OWN = /^\s*<(?:local-command|command-(?:name|message|args)|bash-(?:input|stdout|stderr))/

/** Understands the log of Claude Code. */
export class Claude {
  readonly #entries = new WeakMap<Native, Entry>()
  readonly #calls = new Calls()
  #branch: Branch | undefined

  /** `sidechains`: the log is a sub-agent's own, every entry of which is marked as one. */
  constructor(private readonly options: { sidechains?: boolean } = {}) {}

  *view(natives: readonly Native[]): Steps<View> {
    const { sidechains = false } = this.options
    this.#branch = continued(this.#branch, natives, sidechains) ?? (yield* branchOf(natives, sidechains))
    const { natives: shown, branches } = this.#branch
    const key = text(shown.findLast(({ value }) => text(value.sessionId) !== undefined)?.value.sessionId)
    return { entries: yield* mapped(shown, (native) => this.#entry(native)), branches, key }
  }

  #entry(native: Native): Entry {
    const known = this.#entries.get(native)
    if (known) return known
    const made = this.#made(native)
    this.#entries.set(native, made)
    return made
  }

  #made({ value, offset }: Native): Entry {
    const message = object(value.message)
    const content = message.content ?? value.content ?? value.result
    const answered = this.#noted(content)
    const speaker = SPEAKERS.find((one) => one === value.type)
    return {
      id: text(value.uuid) ?? `at-${offset}`,
      at: moment(value.timestamp),
      raw: value,
      speaker,
      role: roleOf(value, answered.size > 0),
      boundary: value.subtype === 'compact_boundary',
      turn: turnOf(value, message, content),
      partial: false,
      ...(value.type === 'assistant' && spoken(value, message)),
      ...(value.type === 'system' && { event: systemEvent(value) }),
      blocks: once(() => blocksOf(content, answered, value.toolUseResult)),
    }
  }

  /** Notes what calls begin here, and tells for each answer here which call it is to. */
  #noted(content: unknown): Answered {
    const answered = new Map<unknown, ToolCall | undefined>()
    for (const item of items(content)) {
      const block = object(item)
      const id = text(block.id)
      if (block.type === 'tool_use' && id) this.#calls.add(id, callOf(block))
      if (block.type === 'tool_result') answered.set(block, this.#calls.of(text(block.tool_use_id)))
    }
    return answered
  }
}

/** The calls that blocks with answers are to. */
type Answered = ReadonlyMap<unknown, ToolCall | undefined>

const callOf = (block: Json): ToolCall => ({ name: text(block.name) ?? 'tool', input: block.input })

function blocksOf(content: unknown, answered: Answered, noted: unknown): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [textBlock(content)]
  return items(content).map((item) =>
    typeof item === 'string' ? textBlock(item) : blockOf(object(item), answered, noted),
  )
}

function blockOf(block: Json, answered: Answered, noted: unknown): Block {
  switch (block.type) {
    case 'text':
      return textBlock(text(block.text) ?? '')
    case 'thinking':
    case 'redacted_thinking':
      return thinkingBlock(text(block.thinking), text(block.signature))
    case 'tool_use':
    case 'server_tool_use':
      return callBlock(text(block.id), callOf(block))
    case 'tool_result': {
      const outcome = { content: wordsOf(block.content), isError: block.is_error === true, noted }
      return resultBlock(text(block.tool_use_id), answered.get(block), outcome)
    }
    case 'image':
      return imageBlock(block)
    default:
      return present({ type: 'unknown' as const, name: text(block.type), text: text(block.text) })
  }
}

function roleOf(value: Json, results: boolean): Entry['role'] {
  if (value.type === 'tool_result' || (value.type === 'user' && results)) return 'tool'
  if (value.type === 'user' || value.type === 'assistant') return value.type
  return value.type === 'system' || value.type === 'result' ? 'system' : undefined
}

function turnOf(value: Json, message: Json, content: unknown): Entry['turn'] {
  if (value.type === 'assistant') {
    const reason = text(message.stop_reason)
    if (reason === undefined) return undefined
    return reason === 'tool_use' || reason === 'pause_turn' ? 'in-turn' : 'idle'
  }
  if (value.type === 'tool_result') return 'in-turn'
  if (value.type === 'user') {
    const said = wordsOf(content)
    if (INTERRUPTED.test(said)) return 'idle'
    return value.isMeta === true || value.isCompactSummary === true || OWN.test(said) ? undefined : 'in-turn'
  }
  return value.type === 'result' || value.subtype === 'turn_duration' ? 'idle' : undefined
}

/** What an answer tells of its model. */
function spoken(value: Json, message: Json) {
  const model = text(message.model)
  if (model === undefined || model.startsWith('<')) return {}
  const stopReason = text(message.stop_reason)
  const said = object(message.usage)
  if (Object.keys(said).length === 0) return present({ model, stopReason })
  const tokens = tokensOf(said)
  const id = text(message.id) ?? text(value.requestId) ?? text(value.uuid) ?? ''
  const use: Use = { id, model, tokens, at: moment(value.timestamp) ?? 0 }
  const contextUsed = tokens.input + tokens.cacheRead + tokens.cacheWrite
  return present({ model, stopReason, use, contextUsed: contextUsed > 0 ? contextUsed : undefined })
}

const tokensOf = (usage: Json): Tokens => ({
  input: number(usage.input_tokens) ?? 0,
  output: number(usage.output_tokens) ?? 0,
  cacheRead: number(usage.cache_read_input_tokens) ?? 0,
  cacheWrite: number(usage.cache_creation_input_tokens) ?? 0,
  reasoning: 0,
})

const systemEvent = (value: Json) =>
  present({
    kind: text(value.subtype),
    category: text(value.level),
    message: textOf(value, 'content', 'message'),
  })
