import type { AgentRecord } from '../../../host/protocol/index.ts'
import {
  asArray,
  asNumber,
  asObject,
  asString,
  type Block,
  type Entry,
  imageBlock,
  isObject,
  type JsonRecord,
  kindOf,
  lazy,
  type ModelFields,
  omitUndefined,
  stringify,
  type Tokens,
  type ToolCall,
  textBlock,
  thinkingBlock,
  toolResultBlock,
  toolUseBlock,
  UNNAMED_MODEL,
} from '../../../programs/entries/index.ts'
import type { RecordOf } from './conversations.ts'
import { toPendingInteraction } from './questions.ts'

/** The content of an entry that may still grow. */
type Draft =
  | { readonly kind: 'message'; readonly id: string; readonly thinking: string; readonly text: string }
  | { readonly kind: 'tool'; readonly call: ToolCallState }
  | { readonly kind: 'plan'; readonly steps: readonly unknown[] }
  | { readonly kind: 'question'; readonly record: RecordOf<'asked'>; readonly choice?: string }

interface OpenEntry {
  readonly index: number
  readonly entry: Entry
  readonly draft: Draft
}

/** Builds the entries of a conversation from ACP records: one entry for each record, updated by those that follow. */
export class AcpEntryBuilder {
  readonly entries: Entry[] = []
  /** The program's own id of the conversation. */
  key: string | undefined
  #message: OpenEntry | undefined
  #plan: OpenEntry | undefined
  readonly #tools = new Map<string, OpenEntry>()
  readonly #questions = new Map<string, OpenEntry>()
  #model: string | undefined
  readonly #cost = new SessionCost()
  /** The index of the newest entry that the agent wrote in this turn. */
  #lastIndex: number | undefined

  add(id: number, record: AgentRecord): void {
    const base = rawEntry(`acp-${id}`, record)
    const index = this.entries.push(base) - 1
    if (record.type !== 'update') this.#close(this.#message)
    switch (record.type) {
      case 'ready':
        this.key = record.conversation
        this.#model = record.model
        break
      case 'turn':
        this.#cost.begin()
        this.#lastIndex = undefined
        this.entries[index] = { ...base, ...USER_FIELDS, blocks: lazy(() => [textBlock(record.text)]) }
        break
      case 'update':
        this.#addUpdate(index, base, record.update)
        break
      case 'asked':
        this.#addQuestion(index, base, record)
        break
      case 'answered':
        this.#answerQuestion(record)
        break
      case 'done':
        this.#endTurn(index, base, record)
        break
      case 'error':
        this.entries[index] = { ...base, role: 'system', event: { kind: 'error', message: record.message } }
    }
  }

  #addUpdate(index: number, base: Entry, update: JsonRecord): void {
    const kind = asString(update.sessionUpdate)
    const isThought = kind === 'agent_thought_chunk'
    if (isThought || kind === 'agent_message_chunk') {
      this.#addChunk(index, base, update, isThought)
      return
    }
    this.#close(this.#message)
    if (kind === 'tool_call' || kind === 'tool_call_update') this.#updateTool(index, base, update)
    if (kind === 'plan') this.#updatePlan(index, base, asArray(update.entries))
    if (kind === 'usage_update') {
      this.#cost.read(update.cost)
      const context = omitUndefined({ contextUsed: asNumber(update.used), contextWindow: asNumber(update.size) })
      this.entries[index] = { ...base, ...context }
    }
    if (kind === 'compaction_update') this.entries[index] = { ...base, boundary: true }
  }

  #addChunk(index: number, base: Entry, update: JsonRecord, isThought: boolean): void {
    const content = asObject(update.content)
    const text = asString(content.text)
    if (text === undefined) {
      if (content.type !== 'image') return
      this.entries[index] = { ...base, ...AGENT_FIELDS, blocks: lazy(() => [imageBlock(content)]) }
      return
    }
    const id = asString(update.messageId) ?? ''
    const draft = this.#message?.draft
    if (this.#message && draft?.kind === 'message' && draft.id === id && !(isThought && draft.text !== '')) {
      const more = isThought ? { thinking: draft.thinking + text } : { text: draft.text + text }
      this.#message = this.#replace(this.#message, { ...draft, ...more })
      return
    }
    this.#close(this.#message)
    const initial = isThought ? { thinking: text, text: '' } : { thinking: '', text }
    this.#message = this.#open(index, base, { kind: 'message', id, ...initial })
  }

  #updateTool(index: number, base: Entry, update: JsonRecord): void {
    const id = asString(update.toolCallId) ?? ''
    const open = this.#tools.get(id)
    if (open?.draft.kind === 'tool') {
      this.#tools.set(id, this.#replace(open, { kind: 'tool', call: applyUpdate(open.draft.call, update) }))
      return
    }
    const call = { id, initialTitle: asString(update.title) ?? 'tool', fields: update }
    this.#tools.set(id, this.#open(index, base, { kind: 'tool', call }))
  }

  #updatePlan(index: number, base: Entry, steps: readonly unknown[]): void {
    const draft = { kind: 'plan', steps } as const
    this.#plan = this.#plan ? this.#replace(this.#plan, draft) : this.#open(index, base, draft)
  }

  #addQuestion(index: number, base: Entry, record: RecordOf<'asked'>): void {
    const { status: _, ...tool } = record.tool
    if (this.#tools.has(asString(tool.toolCallId) ?? '')) this.#updateTool(index, base, tool)
    this.#questions.set(record.request, this.#open(index, base, { kind: 'question', record }))
  }

  #answerQuestion({ request, choice }: RecordOf<'answered'>): void {
    const open = this.#questions.get(request)
    this.#questions.delete(request)
    if (open?.draft.kind !== 'question') return
    this.#close(this.#replace(open, { ...open.draft, choice: choice ?? 'cancelled' }))
  }

  #endTurn(index: number, base: Entry, record: RecordOf<'done'>): void {
    for (const open of [this.#plan, ...this.#tools.values()]) this.#close(open)
    this.#plan = undefined
    this.#tools.clear()
    const end = { turn: 'idle' as const, stopReason: record.reason }
    if (record.error !== undefined) {
      const message = `[error] ${record.error}`
      this.entries[index] = { ...base, ...AGENT_FIELDS, ...end, blocks: lazy(() => [textBlock(message)]) }
      return
    }
    this.entries[index] = { ...base, turn: 'idle' }
    const last = this.#lastIndex === undefined ? undefined : this.entries[this.#lastIndex]
    if (this.#lastIndex !== undefined && last) {
      this.entries[this.#lastIndex] = { ...last, ...end, ...this.#usageOf(record) }
    }
  }

  /** The usage of a turn, under an id by which it is counted once. */
  #usageOf({ turn, at, usage }: RecordOf<'done'>): ModelFields {
    const counts = asObject(usage)
    const tokens = tokensOf(counts)
    const model = asString(asObject(asArray(counts.model_usage)[0]).model) ?? this.#model
    const cost = this.#cost.take()
    if (tokens.input + tokens.output === 0 && !cost) return {}
    const facts = { id: `${this.key}:${turn}`, model: model ?? UNNAMED_MODEL, tokens, timestamp: Date.parse(at) }
    return omitUndefined({ model, usage: omitUndefined({ ...facts, cost }) })
  }

  #open(index: number, base: Entry, draft: Draft): OpenEntry {
    const blocks = lazy(() => draftBlocks(draft))
    const entry = { ...base, ...AGENT_FIELDS, partial: true, model: this.#model, blocks }
    this.entries[index] = entry
    this.#lastIndex = index
    return { index, entry, draft }
  }

  /** An entry that changes is replaced, since readers compare entries by identity. */
  #replace({ index, entry: before }: OpenEntry, draft: Draft): OpenEntry {
    const partial = draft.kind !== 'tool' || !isFinished(draft.call)
    const entry = { ...before, partial, blocks: lazy(() => draftBlocks(draft)) }
    this.entries[index] = entry
    return { index, entry, draft }
  }

  #close(open: OpenEntry | undefined): void {
    if (open === this.#message) this.#message = undefined
    const entry = open && this.entries[open.index]
    if (open && entry?.partial) this.entries[open.index] = { ...entry, partial: false }
  }
}

const USER_FIELDS = { speaker: 'user', role: 'user', turn: 'in-turn' } as const
const AGENT_FIELDS = { speaker: 'assistant', role: 'assistant', turn: 'in-turn' } as const

/** An entry that only the raw format shows. */
const rawEntry = (id: string, record: AgentRecord): Entry => ({
  id,
  timestamp: Date.parse(record.at),
  raw: record.type === 'update' ? record.update : record,
  speaker: undefined,
  role: undefined,
  boundary: false,
  turn: undefined,
  partial: false,
  blocks: () => [],
})

function draftBlocks(draft: Draft): Block[] {
  switch (draft.kind) {
    case 'message': {
      const thinking = draft.thinking === '' ? [] : [thinkingBlock(draft.thinking)]
      return draft.text === '' ? thinking : [...thinking, textBlock(draft.text)]
    }
    case 'tool':
      return toBlocks(draft.call)
    case 'plan':
      return [toolUseBlock(undefined, { name: 'update_plan', input: { plan: draft.steps } })]
    case 'question':
      return [questionBlock(draft.record, draft.choice)]
  }
}

function questionBlock(record: RecordOf<'asked'>, choice: string | undefined): Block {
  const { request, tool, choices } = record
  const { request_id, kind, prompt, options } = toPendingInteraction({ request, tool, choices })
  const state = choice === undefined ? 'pending' : choice === 'cancelled' ? 'cancelled' : 'answered'
  const action = state === 'answered' ? choice : undefined
  return { type: 'interaction', interaction: omitUndefined({ state, request_id, kind, prompt, options, action }) }
}

/** Token counts as the protocol defines them, or in the fields of a quota, which is what some programs report. */
function tokensOf(counts: JsonRecord): Tokens {
  const own = asObject(counts.token_count)
  return {
    input: asNumber(counts.inputTokens) ?? asNumber(own.input_tokens) ?? 0,
    output: asNumber(counts.outputTokens) ?? asNumber(own.output_tokens) ?? 0,
    cacheRead: asNumber(counts.cachedReadTokens) ?? 0,
    cacheWrite: asNumber(counts.cachedWriteTokens) ?? 0,
    reasoning: asNumber(counts.thoughtTokens) ?? 0,
  }
}

/** Splits the total cost that an agent reports into the cost of each turn. */
class SessionCost {
  #total: number | undefined
  #counted: number | undefined

  /** Reads the total out of a report of the agent; only dollars count. */
  read(cost: unknown): void {
    const { amount, currency } = asObject(cost)
    const dollars = asNumber(amount)
    if (dollars !== undefined && dollars >= 0 && currency === 'USD') this.#total = dollars
  }

  /** A turn begins: what was reported before the first one is of earlier runs. */
  begin(): void {
    this.#counted ??= this.#total ?? 0
  }

  /** Cost added since the last counted turn; undefined if the agent reports none. */
  take(): number | undefined {
    const [total, counted = 0] = [this.#total, this.#counted]
    if (total === undefined) return undefined
    this.#counted = total
    return Math.max(0, total - counted)
  }
}

/** The tool names that the protocol's kinds of tools stand for. */
const NAMES_BY_KIND: Readonly<Record<string, string>> = {
  execute: 'bash',
  read: 'read',
  edit: 'edit',
  search: 'grep',
  fetch: 'webfetch',
}

/** The state of a tool call; each update of it contains only what changed. */
interface ToolCallState {
  readonly id: string
  /** The title of the first update; a later title may describe what the call does. */
  readonly initialTitle: string
  readonly fields: JsonRecord
}

/** Applies an update to a call; fields that the update leaves out stay. */
function applyUpdate(call: ToolCallState, update: JsonRecord): ToolCallState {
  const changes = Object.entries(update).filter(([, value]) => value !== undefined && value !== null)
  return { ...call, fields: { ...call.fields, ...Object.fromEntries(changes) } }
}

const isFinished = ({ fields }: ToolCallState): boolean => fields.status === 'completed' || fields.status === 'failed'

/** The block of a call and, once it is finished, that of its result. */
function toBlocks(state: ToolCallState): Block[] {
  const { id, fields } = state
  const call = toToolCall(state)
  const use = toolUseBlock(id, call)
  if (!isFinished(state)) return [use]
  const output = asObject(fields.rawOutput)
  const details = isObject(fields.rawOutput) ? { ...asObject(output.metadata), ...output } : fields.rawOutput
  return [use, toolResultBlock(id, call, { content: outputText(fields), isError: fields.status === 'failed', details })]
}

function toToolCall({ initialTitle, fields }: ToolCallState): ToolCall {
  const kind = asString(fields.kind) ?? 'other'
  const fallback = kindOf(initialTitle) ? initialTitle : (NAMES_BY_KIND[kind] ?? initialTitle)
  return { name: asString(fields.name) ?? fallback, input: inputOf(fields) }
}

function inputOf(fields: JsonRecord): unknown {
  const input = fields.rawInput
  if (input !== undefined && !isObject(input)) return input
  const diff = asArray(fields.content)
    .map(asObject)
    .find(({ type }) => type === 'diff')
  const [location] = asArray(fields.locations).map(asObject)
  return omitUndefined({
    path: asString(location?.path),
    ...(diff && {
      file_path: asString(diff.path),
      old_string: asString(diff.oldText),
      new_string: asString(diff.newText),
    }),
    ...asObject(input),
  })
}

/** The text that a call returned: its content, else its raw output. */
function outputText({ content, rawOutput }: JsonRecord): string {
  const text = asArray(content)
    .map(asObject)
    .flatMap((part) => asString(asObject(part.content).text) ?? [])
    .join('\n')
  if (text !== '') return text
  const output = asObject(rawOutput)
  return asString(output.output) ?? asString(output.error) ?? (rawOutput === undefined ? '' : stringify(rawOutput))
}
