import {
  imageBlock,
  lazy,
  plainText,
  textBlock,
  thinkingBlock,
  toolResultBlock,
  toolUseBlock,
} from '../entries/blocks.ts'
import type { Entry, ModelFields, Tokens } from '../entries/entry.ts'
import {
  asArray,
  asNumber,
  asObject,
  asString,
  asTimestamp,
  isObject,
  type JsonRecord,
  omitUndefined,
  parseJson,
} from '../entries/json.ts'
import type { LogRecord, LogSnapshot } from '../entries/log-reader.ts'
import { mapInSteps, type Steps } from '../entries/steps.ts'
import type { ToolCall } from '../entries/tool-kinds.ts'
import type { Block } from '../structured/blocks.ts'
import { ToolCalls } from './tool-calls.ts'

/** Messages in the user's name that the program adds itself. */
const WRITTEN_BY_PROGRAM =
  /^\s*<(?:environment_context|user_instructions|permissions|turn_aborted|INSTRUCTIONS)|^# AGENTS\.md instructions/

/** A log that is read from its middle may not name the model yet; its usage is counted all the same. */
const UNKNOWN_MODEL = 'unknown'

/** A copy of a conversation is written within this time, and no answer comes that soon. */
const COPY_MS = 500

const TURN_STARTED: ReadonlySet<unknown> = new Set(['task_started', 'turn_started'])
const TURN_ENDED: ReadonlySet<unknown> = new Set(['task_complete', 'turn_complete', 'turn_aborted'])

/** Parses a rollout of Codex. */
export class CodexParser {
  readonly #entries = new WeakMap<LogRecord, Entry>()
  readonly #calls = new ToolCalls()
  #model: string | undefined
  /** Whether the log marks where turns begin and end. */
  #hasTurnMarkers = false
  #hasMeta = false
  /** Older entries were copied from the conversation that this one forked or resumed. */
  #startedAt = 0

  constructor(private readonly key: string) {}

  *parse(records: readonly LogRecord[]): Steps<LogSnapshot> {
    this.#model = firstModel(records) ?? this.#model
    const entries = yield* mapInSteps(records, (record) => this.#entry(record))
    return { entries, recorded: entries, hasBranches: false, key: this.key }
  }

  #entry(record: LogRecord): Entry {
    const payload = asObject(record.value.payload)
    if (record.value.type === 'turn_context') this.#model = asString(payload.model) ?? this.#model
    if (record.value.type === 'event_msg' && TURN_STARTED.has(payload.type)) this.#hasTurnMarkers = true
    const cached = this.#entries.get(record)
    if (cached) return cached
    if (record.value.type === 'session_meta') this.#readMeta(record.value, payload)
    const entry = this.#toEntry(record, payload)
    this.#entries.set(record, entry)
    return entry
  }

  /** A fork of an older version begins with a copy of the records so far, which is written at once. */
  #readMeta({ timestamp }: JsonRecord, payload: JsonRecord): void {
    const isFork = payload.forked_from_id !== undefined && payload.forked_from_ordinal_exclusive === undefined
    if (isFork || this.#hasMeta) this.#startedAt = (asTimestamp(timestamp) ?? 0) + COPY_MS
    this.#hasMeta = true
  }

  #toEntry({ value, offset }: LogRecord, payload: JsonRecord): Entry {
    const callId = asString(payload.call_id)
    const call = value.type === 'response_item' ? toToolCall(payload) : undefined
    if (call && callId) this.#calls.add(callId, call)
    const answeredCall = this.#calls.find(callId)
    const isOwn =
      payload.type === 'message' && payload.role !== 'assistant' && WRITTEN_BY_PROGRAM.test(plainText(payload.content))
    const isHidden = isOwn || payload.role === 'developer'
    const role = value.type === 'response_item' && !isHidden ? roleOf(payload) : undefined
    const isTokenCount = value.type === 'event_msg' && payload.type === 'token_count'
    const isCompaction = value.type === 'compacted'
    return {
      id: `at-${offset}`,
      timestamp: asTimestamp(value.timestamp),
      raw: value,
      speaker: isCompaction ? 'system' : role === 'tool' ? 'result' : role === 'unknown' ? undefined : role,
      role: isCompaction ? 'system' : role,
      boundary: isCompaction,
      turn: isHidden ? undefined : turnOf(value, payload, this.#hasTurnMarkers),
      partial: false,
      ...(role === 'assistant' && this.#model !== undefined && { model: this.#model }),
      ...(isCompaction && { event: { kind: 'compact_boundary' } }),
      ...(isTokenCount && this.#tokenFields(value, payload)),
      blocks: lazy(() => (isCompaction ? summaryBlocks(payload) : blocksOf(payload, call ?? answeredCall))),
    }
  }

  #tokenFields(value: JsonRecord, payload: JsonRecord): ModelFields {
    const info = asObject(payload.info)
    const last = asObject(info.last_token_usage)
    const total = asNumber(asObject(info.total_token_usage).total_tokens)
    if (!isObject(info.last_token_usage) || total === undefined) return {}
    const tokens = tokensOf(last)
    const model = this.#model
    const timestamp = asTimestamp(value.timestamp) ?? 0
    const usage = { id: `total:${this.key}:${total}`, model: model ?? UNKNOWN_MODEL, tokens, timestamp }
    return omitUndefined({
      contextUsed: asNumber(last.input_tokens) || undefined,
      contextWindow: asNumber(info.model_context_window),
      usage: timestamp < this.#startedAt ? undefined : usage,
      model,
    })
  }
}

/** `call`: the call that this payload is, or answers. */
function blocksOf(payload: JsonRecord, call: ToolCall | undefined): Block[] {
  const id = asString(payload.call_id)
  switch (payload.type) {
    case 'message':
      return asArray(payload.content).map((item) => {
        const part = asObject(item)
        return part.type === 'input_image' ? imageBlock(part) : textBlock(asString(part.text) ?? '')
      })
    case 'reasoning':
      return [thinkingBlock(plainText(payload.summary) || plainText(payload.content) || undefined)]
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [toResultBlock(id, call, payload.output)]
    default:
      return [call ? toolUseBlock(id, call) : omitUndefined({ type: 'unknown' as const, name: asString(payload.type) })]
  }
}

function toResultBlock(id: string | undefined, call: ToolCall | undefined, output: unknown): Block {
  const parsed = typeof output === 'string' ? parseJson(output) : output
  const body = isObject(parsed) ? parsed : {}
  const content = typeof output === 'string' ? (asString(body.output) ?? output) : plainText(body.content ?? output)
  const exit = /^(?:Process exited with code|Exit code:) (\d+)/m.exec(content.slice(0, 400))?.[1]
  const details = exit === undefined ? body : { ...body, exit_code: Number(exit) }
  return toolResultBlock(id, call, { content, isError: body.success === false, details })
}

/** Responses are counted under the model of their turn, which a truncated log may name only later. */
const firstModel = (records: readonly LogRecord[]): string | undefined => {
  const turn = records.find(({ value }) => value.type === 'turn_context')
  return turn && asString(asObject(turn.value.payload).model)
}

function toToolCall(payload: JsonRecord): ToolCall | undefined {
  switch (payload.type) {
    case 'function_call': {
      const json = asString(payload.arguments) ?? ''
      return { name: asString(payload.name) ?? 'tool', input: parseJson(json) ?? json }
    }
    case 'custom_tool_call':
      return { name: asString(payload.name) ?? 'tool', input: payload.input }
    case 'local_shell_call':
      return { name: 'local_shell', input: { command: asObject(payload.action).command } }
    case 'web_search_call':
      return { name: 'web_search', input: { query: asObject(payload.action).query } }
    default:
      return undefined
  }
}

function roleOf(payload: JsonRecord): Entry['role'] {
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

function turnOf(value: JsonRecord, payload: JsonRecord, hasTurnMarkers: boolean): Entry['turn'] {
  if (value.type === 'event_msg') {
    if (TURN_STARTED.has(payload.type)) return 'in-turn'
    return TURN_ENDED.has(payload.type) ? 'idle' : undefined
  }
  if (value.type !== 'response_item') return undefined
  if (payload.type !== 'message') return 'in-turn'
  if (payload.role !== 'assistant') return 'in-turn'
  return hasTurnMarkers || payload.phase === 'commentary' ? undefined : 'idle'
}

const summaryBlocks = (payload: JsonRecord): Block[] => {
  const text = asString(payload.message)
  return text === undefined ? [] : [textBlock(text)]
}

/** Codex counts cached tokens among the input, and reasoning among the output. */
function tokensOf(usage: JsonRecord): Tokens {
  const cacheRead = asNumber(usage.cached_input_tokens) ?? 0
  return {
    input: Math.max(0, (asNumber(usage.input_tokens) ?? 0) - cacheRead),
    output: asNumber(usage.output_tokens) ?? 0,
    cacheRead,
    cacheWrite: 0,
    reasoning: asNumber(usage.reasoning_output_tokens) ?? 0,
  }
}
