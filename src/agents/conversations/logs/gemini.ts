import { callBlock, imageBlock, once, resultBlock, textBlock, thinkingBlock, wordsOf } from '../entries/blocks.ts'
import type { Entry, Tokens } from '../entries/entry.ts'
import { isObject, items, type Json, moment, number, object, present, shown, text } from '../entries/json.ts'
import type { Native, View } from '../entries/log-reader.ts'
import { each, mapped, type Steps } from '../entries/slices.ts'
import type { Block } from '../structured/blocks.ts'

/** What the program tells a model in a person's name before the person's first words. */
const OWN = /^\s*<session_context>/

/** A call in one of these states still goes on. */
const OPEN = new Set(['validating', 'scheduled', 'executing', 'awaiting_approval'])

/** Understands the chats of Gemini CLI: one JSON document, or a line for each message and for each change to one. */
export class Gemini {
  readonly #entries = new WeakMap<Json, Entry>()

  #entry(message: Json): Entry {
    const known = this.#entries.get(message)
    if (known) return known
    const made = entryOf(message)
    this.#entries.set(message, made)
    return made
  }

  *view(natives: readonly Native[]): Steps<View> {
    const { messages, key } = yield* folded(natives)
    return { entries: yield* mapped(messages, (message) => this.#entry(message)), branches: false, key }
  }
}

/** The messages as they are by now: later lines replace earlier ones, and a rewind takes some back. */
function* folded(natives: readonly Native[]): Steps<{ messages: Json[]; key: string | undefined }> {
  const messages = new Map<string, Json>()
  let key: string | undefined
  yield* each(natives, ({ value, offset }) => {
    const set = object(value.$set)
    key = text(set.sessionId) ?? text(value.sessionId) ?? key
    const back = text(value.$rewindTo)
    if (back !== undefined) rewind(messages, back)
    else if (text(value.type) !== undefined) messages.set(text(value.id) ?? `at-${offset}`, value)
    if (!Array.isArray(set.messages)) return
    messages.clear()
    for (const [at, message] of set.messages.entries()) {
      if (isObject(message)) messages.set(text(message.id) ?? `${offset}-${at}`, message)
    }
  })
  return { messages: [...messages].map(([id, message]) => ('id' in message ? message : { id, ...message })), key }
}

function rewind(messages: Map<string, Json>, to: string): void {
  const ids = [...messages.keys()]
  for (const id of ids.slice(Math.max(0, ids.indexOf(to)))) messages.delete(id)
}

function entryOf(message: Json): Entry {
  const calls = items(message.toolCalls).map(object)
  const answer = message.type === 'gemini'
  const own = message.type === 'user' && OWN.test(wordsOf(message.content))
  const role = own ? undefined : answer ? 'assistant' : message.type === 'user' ? 'user' : 'system'
  return {
    id: text(message.id) ?? '',
    at: moment(message.timestamp),
    raw: message,
    speaker: role,
    role,
    boundary: role === 'system' && /^Chat history compressed/i.test(wordsOf(message.content)),
    turn: own ? undefined : turnOf(message, calls),
    partial: calls.some(({ status }) => OPEN.has(text(status) ?? '')),
    ...(answer && spoken(message)),
    ...(role === 'system' && {
      event: present({ kind: text(message.type), message: wordsOf(message.content) || undefined }),
    }),
    blocks: once(() => blocksOf(message, calls)),
  }
}

function turnOf(message: Json, calls: readonly Json[]): Entry['turn'] {
  if (message.type === 'user') return 'in-turn'
  if (message.type === 'gemini') return calls.length > 0 ? 'in-turn' : 'idle'
  return message.type === 'error' || /cancelled/i.test(wordsOf(message.content)) ? 'idle' : undefined
}

function spoken(message: Json) {
  const model = text(message.model)
  const said = object(message.tokens)
  const id = text(message.id)
  if (model === undefined || id === undefined || Object.keys(said).length === 0) return present({ model })
  const tokens = tokensOf(said)
  return { model, contextUsed: number(said.input) ?? 0, use: { id, model, tokens, at: moment(message.timestamp) ?? 0 } }
}

/** Gemini counts cached tokens among the input, and thoughts apart from the output. */
function tokensOf(said: Json): Tokens {
  const cacheRead = number(said.cached) ?? 0
  const reasoning = number(said.thoughts) ?? 0
  return {
    input: Math.max(0, (number(said.input) ?? 0) - cacheRead) + (number(said.tool) ?? 0),
    output: (number(said.output) ?? 0) + reasoning,
    cacheRead,
    cacheWrite: 0,
    reasoning,
  }
}

function blocksOf(message: Json, calls: readonly Json[]): Block[] {
  const thoughts = items(message.thoughts).map((item) => {
    const thought = object(item)
    return thinkingBlock([text(thought.subject), text(thought.description)].filter(Boolean).join('\n'))
  })
  return [...thoughts, ...contentBlocks(message.content), ...calls.flatMap(callBlocks)]
}

function contentBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [textBlock(content)]
  const parts = Array.isArray(content) ? content : content === undefined ? [] : [content]
  return parts.flatMap((item) => {
    if (typeof item === 'string') return textBlock(item)
    const part = object(item)
    const media = object(part.inlineData ?? part.fileData)
    if (text(media.mimeType)?.startsWith('image/')) return imageBlock({ ...media, url: media.fileUri })
    return text(part.text) === undefined ? [] : textBlock(text(part.text) ?? '')
  })
}

function callBlocks(call: Json): Block[] {
  const id = text(call.id)
  const known = { name: text(call.name) ?? 'tool', input: call.args }
  const use = callBlock(id, known)
  if (OPEN.has(text(call.status) ?? '')) return [use]
  const content = outputOf(call.result) || shown(call.resultDisplay)
  const noted = call.resultDisplay
  return [
    use,
    resultBlock(id, known, { content, isError: call.status === 'error' || call.status === 'cancelled', noted }),
  ]
}

/** What the model was given back: the responses of functions, or plain texts. */
const outputOf = (result: unknown): string =>
  (Array.isArray(result) ? result : result === undefined || result === null ? [] : [result])
    .map((item) => {
      const part = object(item)
      const response = object(object(part.functionResponse).response)
      return text(response.output) ?? text(response.error) ?? text(part.text) ?? (typeof item === 'string' ? item : '')
    })
    .filter((said) => said !== '')
    .join('\n')
