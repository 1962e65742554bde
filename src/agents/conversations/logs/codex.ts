import { callBlock, imageBlock, once, resultBlock, textBlock, thinkingBlock, wordsOf } from '../entries/blocks.ts'
import type { Entry, Tokens } from '../entries/entry.ts'
import { isObject, items, type Json, moment, number, object, parsed, present, text } from '../entries/json.ts'
import type { Native, View } from '../entries/log-reader.ts'
import { mapped, type Steps } from '../entries/slices.ts'
import type { ToolCall } from '../entries/tool-kinds.ts'
import type { Block } from '../structured/blocks.ts'
import { Calls } from './calls.ts'

/** What the program adds to a conversation in a person's name. */
const OWN =
  /^\s*<(?:environment_context|user_instructions|permissions|turn_aborted|INSTRUCTIONS)|^# AGENTS\.md instructions/

/** A log that is read from its middle need not tell the model yet; what it took is counted all the same. */
const UNKNOWN = 'unknown'

const STARTED: ReadonlySet<unknown> = new Set(['task_started', 'turn_started'])
const ENDED: ReadonlySet<unknown> = new Set(['task_complete', 'turn_complete', 'turn_aborted'])

/** Understands the rollout of Codex. */
export class Codex {
  readonly #entries = new WeakMap<Native, Entry>()
  readonly #calls = new Calls()
  #model: string | undefined
  /** Whether the log says itself when turns begin and end. */
  #marked = false

  constructor(private readonly key: string) {}

  *view(natives: readonly Native[]): Steps<View> {
    this.#model = firstModel(natives) ?? this.#model
    const entries = yield* mapped(natives, (native) => this.#entry(native))
    return { entries, branches: false, key: this.key }
  }

  #entry(native: Native): Entry {
    const payload = object(native.value.payload)
    if (native.value.type === 'turn_context') this.#model = text(payload.model) ?? this.#model
    if (native.value.type === 'event_msg' && STARTED.has(payload.type)) this.#marked = true
    const known = this.#entries.get(native)
    if (known) return known
    const made = this.#made(native, payload)
    this.#entries.set(native, made)
    return made
  }

  #made({ value, offset }: Native, payload: Json): Entry {
    const callId = text(payload.call_id)
    const call = value.type === 'response_item' ? callOf(payload) : undefined
    if (call && callId) this.#calls.add(callId, call)
    const answered = this.#calls.of(callId)
    const own = payload.type === 'message' && payload.role !== 'assistant' && OWN.test(wordsOf(payload.content))
    const hidden = own || payload.role === 'developer'
    const role = value.type === 'response_item' && !hidden ? roleOf(payload) : undefined
    const counted = value.type === 'event_msg' && payload.type === 'token_count' ? this.#counted(value, payload) : {}
    const compacted = value.type === 'compacted'
    return {
      id: `at-${offset}`,
      at: moment(value.timestamp),
      raw: value,
      speaker: compacted ? 'system' : role === 'tool' ? 'result' : role === 'unknown' ? undefined : role,
      role: compacted ? 'system' : role,
      boundary: compacted,
      turn: hidden ? undefined : turnOf(value, payload, this.#marked),
      partial: false,
      ...(role === 'assistant' && this.#model !== undefined && { model: this.#model }),
      ...(compacted && { event: { kind: 'compact_boundary' } }),
      ...counted,
      blocks: once(() => (compacted ? summary(payload) : blocksOf(payload, call ?? answered))),
    }
  }

  #counted(value: Json, payload: Json) {
    const info = object(payload.info)
    const last = object(info.last_token_usage)
    const total = number(object(info.total_token_usage).total_tokens)
    if (!isObject(info.last_token_usage) || total === undefined) return {}
    const tokens = tokensOf(last)
    const model = this.#model
    const at = moment(value.timestamp) ?? 0
    return present({
      contextUsed: number(last.input_tokens) || undefined,
      contextWindow: number(info.model_context_window),
      use: { id: `total:${this.key}:${total}`, model: model ?? UNKNOWN, tokens, at },
      model,
    })
  }
}

/** `call`: what this is, or what it answers. */
function blocksOf(payload: Json, call: ToolCall | undefined): Block[] {
  const id = text(payload.call_id)
  switch (payload.type) {
    case 'message':
      return items(payload.content).map((item) => {
        const part = object(item)
        return part.type === 'input_image' ? imageBlock(part) : textBlock(text(part.text) ?? '')
      })
    case 'reasoning':
      return [thinkingBlock(wordsOf(payload.summary) || wordsOf(payload.content) || undefined)]
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [resultOf(id, call, payload.output)]
    default:
      return [call ? callBlock(id, call) : present({ type: 'unknown' as const, name: text(payload.type) })]
  }
}

function resultOf(id: string | undefined, call: ToolCall | undefined, output: unknown): Block {
  const whole = typeof output === 'string' ? parsed(output) : output
  const body = isObject(whole) ? whole : {}
  const content = typeof output === 'string' ? (text(body.output) ?? output) : wordsOf(body.content ?? output)
  const exit = /^(?:Process exited with code|Exit code:) (\d+)/m.exec(content.slice(0, 400))?.[1]
  const noted = exit === undefined ? body : { ...body, exit_code: Number(exit) }
  return resultBlock(id, call, { content, isError: body.success === false, noted })
}

/** Answers are counted under the model of their turn, which in a cut log stands only further on. */
const firstModel = (natives: readonly Native[]): string | undefined => {
  const turn = natives.find(({ value }) => value.type === 'turn_context')
  return turn && text(object(turn.value.payload).model)
}

function callOf(payload: Json): ToolCall | undefined {
  switch (payload.type) {
    case 'function_call': {
      const said = text(payload.arguments) ?? ''
      return { name: text(payload.name) ?? 'tool', input: parsed(said) ?? said }
    }
    case 'custom_tool_call':
      return { name: text(payload.name) ?? 'tool', input: payload.input }
    case 'local_shell_call':
      return { name: 'local_shell', input: { command: object(payload.action).command } }
    case 'web_search_call':
      return { name: 'web_search', input: { query: object(payload.action).query } }
    default:
      return undefined
  }
}

function roleOf(payload: Json): Entry['role'] {
  switch (payload.type) {
    case 'message':
      return payload.role === 'assistant' ? 'assistant' : payload.role === 'user' ? 'user' : 'system'
    case 'reasoning':
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'web_search_call':
      return 'assistant'
    case 'function_call_output':
    case 'custom_tool_call_output':
      return 'tool'
    case 'ghost_snapshot':
    case 'compaction':
      return undefined
    default:
      return 'unknown'
  }
}

function turnOf(value: Json, payload: Json, marked: boolean): Entry['turn'] {
  if (value.type === 'event_msg') {
    if (STARTED.has(payload.type)) return 'in-turn'
    return ENDED.has(payload.type) ? 'idle' : undefined
  }
  if (value.type !== 'response_item') return undefined
  if (payload.type !== 'message') return 'in-turn'
  if (payload.role !== 'assistant') return 'in-turn'
  return marked || payload.phase === 'commentary' ? undefined : 'idle'
}

const summary = (payload: Json): Block[] => {
  const said = text(payload.message)
  return said === undefined ? [] : [textBlock(said)]
}

/** Codex counts cached tokens among the input, and reasoning among the output. */
function tokensOf(usage: Json): Tokens {
  const cacheRead = number(usage.cached_input_tokens) ?? 0
  return {
    input: Math.max(0, (number(usage.input_tokens) ?? 0) - cacheRead),
    output: number(usage.output_tokens) ?? 0,
    cacheRead,
    cacheWrite: 0,
    reasoning: number(usage.reasoning_output_tokens) ?? 0,
  }
}
