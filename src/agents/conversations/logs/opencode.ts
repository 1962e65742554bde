import { imageBlock, lazy, textBlock, thinkingBlock, toolResultBlock, toolUseBlock } from '../entries/blocks.ts'
import type { Entry, ModelFields, Tokens } from '../entries/entry.ts'
import { asArray, asNumber, asObject, asString, asTimestamp, type JsonRecord, omitUndefined } from '../entries/json.ts'
import type { LogRecord, LogSnapshot } from '../entries/log-reader.ts'
import { mapInSteps, type Steps } from '../entries/steps.ts'
import type { Block } from '../structured/blocks.ts'

/** Parses the messages of OpenCode, each with its metadata and parts. */
export class OpenCodeParser {
  readonly #entries = new WeakMap<LogRecord, Entry>()

  constructor(private readonly key: string | undefined) {}

  *parse(records: readonly LogRecord[]): Steps<LogSnapshot> {
    const last = records.at(-1)
    const entries = yield* mapInSteps(records, (record) => this.#entry(record, record === last))
    return { entries, recorded: entries, hasBranches: false, key: this.key }
  }

  #entry(record: LogRecord, isLast: boolean): Entry {
    const cached = this.#entries.get(record)
    if (cached && cached.partial === (isLast && cached.partial)) return cached
    const entry = toEntry(record, isLast)
    this.#entries.set(record, entry)
    return entry
  }
}

/** Only the last response may still be in progress; an earlier one without an end was interrupted. */
function toEntry({ value, offset }: LogRecord, isLast: boolean): Entry {
  const info = asObject(value.info)
  const parts = asArray(value.parts).map(asObject)
  const time = asObject(info.time)
  const role = info.role === 'assistant' ? 'assistant' : info.role === 'user' ? 'user' : 'unknown'
  const isComplete = !isLast || time.completed !== undefined || info.error !== undefined
  return {
    id: asString(info.id) ?? `at-${offset}`,
    timestamp: asTimestamp(time.created),
    raw: value,
    speaker: role === 'unknown' ? undefined : role,
    role,
    boundary: parts.some(({ type }) => type === 'compaction'),
    turn: role === 'user' ? 'in-turn' : role === 'assistant' ? (isComplete ? turnOf(info) : 'in-turn') : undefined,
    partial: role === 'assistant' && !isComplete,
    ...(role === 'assistant' && modelFields(info, isComplete)),
    blocks: lazy(() => [...parts.flatMap(blocksOf), ...errorBlocks(info)]),
  }
}

const turnOf = (info: JsonRecord): Entry['turn'] => (info.finish === 'tool-calls' ? 'in-turn' : 'idle')

function modelFields(info: JsonRecord, isComplete: boolean): ModelFields {
  const model = asString(info.modelID)
  const id = asString(info.id)
  const stopReason = asString(info.finish)
  const tokens = tokensOf(asObject(info.tokens))
  const contextUsed = tokens.input + tokens.cacheRead + tokens.cacheWrite
  const time = asObject(info.time)
  const isUsed = isComplete && contextUsed + tokens.output > 0
  if (model === undefined || id === undefined || !isUsed || isCopied(id, asTimestamp(time.created))) {
    return omitUndefined({ model, stopReason })
  }
  const cost = asNumber(info.cost) || undefined
  const timestamp = asTimestamp(time.completed) ?? asTimestamp(time.created) ?? 0
  return omitUndefined({ model, stopReason, usage: omitUndefined({ id, model, tokens, timestamp, cost }), contextUsed })
}

/** The bits of a time in milliseconds that the id of a message begins with, shifted by those of a counter. */
const ID_TIME_BITS = 36n
const ID_COUNTER_BITS = 12n
/** A message gets its id when it is created, but for one that a fork copied. */
const COPY_AGE_MS = 1000

/** Whether a message was copied from the conversation that its own was forked from. */
function isCopied(id: string, created: number | undefined): boolean {
  const digits = /^msg_([0-9a-f]{12})/.exec(id)?.[1]
  if (digits === undefined || created === undefined) return false
  const named = BigInt(`0x${digits}`) >> ID_COUNTER_BITS
  const age = BigInt.asUintN(Number(ID_TIME_BITS), named - BigInt(created))
  return age > COPY_AGE_MS && age < 1n << (ID_TIME_BITS - 1n)
}

function tokensOf(counts: JsonRecord): Tokens {
  const cache = asObject(counts.cache)
  const reasoning = asNumber(counts.reasoning) ?? 0
  return {
    input: asNumber(counts.input) ?? 0,
    output: (asNumber(counts.output) ?? 0) + reasoning,
    cacheRead: asNumber(cache.read) ?? 0,
    cacheWrite: asNumber(cache.write) ?? 0,
    reasoning,
  }
}

function blocksOf(part: JsonRecord): Block[] {
  switch (part.type) {
    case 'text':
      return asString(part.text) === undefined ? [] : [textBlock(asString(part.text) ?? '')]
    case 'reasoning':
      return [thinkingBlock(asString(part.text))]
    case 'tool':
      return toolBlocks(part)
    case 'file':
      return [asString(part.mime)?.startsWith('image/') ? imageBlock(part) : fileBlock(part)]
    default:
      return []
  }
}

const fileBlock = (part: JsonRecord): Block =>
  omitUndefined({ type: 'unknown' as const, name: asString(part.filename), mime_type: asString(part.mime) })

function toolBlocks(part: JsonRecord): Block[] {
  const state = asObject(part.state)
  const id = asString(part.callID)
  const call = { name: asString(part.tool) ?? 'tool', input: state.input }
  const use = toolUseBlock(id, call)
  if (state.status !== 'completed' && state.status !== 'error') return [use]
  const content = asString(state.output) ?? asString(state.error) ?? ''
  return [use, toolResultBlock(id, call, { content, isError: state.status === 'error', details: state.metadata })]
}

/** The error of a failed response, as its last block. */
function errorBlocks(info: JsonRecord): Block[] {
  const error = asObject(info.error)
  const message = asString(asObject(error.data).message) ?? asString(error.name)
  return message === undefined ? [] : [textBlock(`[error] ${message}`)]
}
