import { callBlock, imageBlock, once, resultBlock, textBlock, thinkingBlock } from '../entries/blocks.ts'
import type { Entry, Tokens } from '../entries/entry.ts'
import { items, type Json, moment, number, object, present, text } from '../entries/json.ts'
import type { Native, View } from '../entries/log-reader.ts'
import { mapped, type Steps } from '../entries/slices.ts'
import type { Block } from '../structured/blocks.ts'

/** Understands the messages of OpenCode: each with what is known of it, and its parts. */
export class OpenCode {
  readonly #entries = new WeakMap<Native, Entry>()

  constructor(private readonly key: string | undefined) {}

  *view(natives: readonly Native[]): Steps<View> {
    const last = natives.at(-1)
    const entries = yield* mapped(natives, (native) => this.#entry(native, native === last))
    return { entries, branches: false, key: this.key }
  }

  #entry(native: Native, last: boolean): Entry {
    const known = this.#entries.get(native)
    if (known && known.partial === (last && known.partial)) return known
    const made = entryOf(native, last)
    this.#entries.set(native, made)
    return made
  }
}

/** Only the last answer may still go on; one before it that never ended was cut off. */
function entryOf({ value, offset }: Native, last: boolean): Entry {
  const info = object(value.info)
  const parts = items(value.parts).map(object)
  const time = object(info.time)
  const role = info.role === 'assistant' ? 'assistant' : info.role === 'user' ? 'user' : 'unknown'
  const over = !last || time.completed !== undefined || info.error !== undefined
  return {
    id: text(info.id) ?? `at-${offset}`,
    at: moment(time.created),
    raw: value,
    speaker: role === 'unknown' ? undefined : role,
    role,
    boundary: parts.some(({ type }) => type === 'compaction'),
    turn: role === 'user' ? 'in-turn' : role === 'assistant' ? (over ? turnOf(info) : 'in-turn') : undefined,
    partial: role === 'assistant' && !over,
    ...(role === 'assistant' && spoken(info, over)),
    blocks: once(() => [...parts.flatMap(blocksOf), ...failure(info)]),
  }
}

const turnOf = (info: Json): Entry['turn'] => (info.finish === 'tool-calls' ? 'in-turn' : 'idle')

function spoken(info: Json, over: boolean) {
  const model = text(info.modelID)
  const id = text(info.id)
  const stopReason = text(info.finish)
  const tokens = tokensOf(object(info.tokens))
  const contextUsed = tokens.input + tokens.cacheRead + tokens.cacheWrite
  if (model === undefined || id === undefined || !over || contextUsed + tokens.output === 0) {
    return present({ model, stopReason })
  }
  const time = object(info.time)
  const cost = number(info.cost) || undefined
  const use = present({ id, model, tokens, at: moment(time.completed) ?? moment(time.created) ?? 0, cost })
  return present({ model, stopReason, use, contextUsed })
}

function tokensOf(said: Json): Tokens {
  const cache = object(said.cache)
  const reasoning = number(said.reasoning) ?? 0
  return {
    input: number(said.input) ?? 0,
    output: (number(said.output) ?? 0) + reasoning,
    cacheRead: number(cache.read) ?? 0,
    cacheWrite: number(cache.write) ?? 0,
    reasoning,
  }
}

function blocksOf(part: Json): Block[] {
  switch (part.type) {
    case 'text':
      return text(part.text) === undefined ? [] : [textBlock(text(part.text) ?? '')]
    case 'reasoning':
      return [thinkingBlock(text(part.text))]
    case 'tool':
      return toolBlocks(part)
    case 'file':
      return [text(part.mime)?.startsWith('image/') ? imageBlock(part) : attached(part)]
    default:
      return []
  }
}

const attached = (part: Json): Block =>
  present({ type: 'unknown' as const, name: text(part.filename), mime_type: text(part.mime) })

function toolBlocks(part: Json): Block[] {
  const state = object(part.state)
  const id = text(part.callID)
  const call = { name: text(part.tool) ?? 'tool', input: state.input }
  const use = callBlock(id, call)
  if (state.status !== 'completed' && state.status !== 'error') return [use]
  const content = text(state.output) ?? text(state.error) ?? ''
  return [use, resultBlock(id, call, { content, isError: state.status === 'error', noted: state.metadata })]
}

/** Why an answer failed, as its last words. */
function failure(info: Json): Block[] {
  const error = object(info.error)
  const said = text(object(error.data).message) ?? text(error.name)
  return said === undefined ? [] : [textBlock(`[error] ${said}`)]
}
