import { basename, dirname, join } from 'node:path'
import { sha256 } from '../../core/digest.ts'
import type { Block, Entry, ModelFields, Tokens } from '../entries/index.ts'
import {
  asArray,
  asNumber,
  asObject,
  asString,
  asTimestamp,
  forEachInSteps,
  imageBlock,
  isObject,
  type JsonRecord,
  lazy,
  mapInSteps,
  omitUndefined,
  parseJson,
  plainText,
  type Steps,
  stringify,
  textBlock,
  thinkingBlock,
  toolResultBlock,
  toolUseBlock,
} from '../entries/index.ts'
import type { LogRecord, LogSnapshot } from '../logs/index.ts'
import {
  createdAt,
  fileWrittenSince,
  firstPrompt,
  homeFolder,
  JsonLog,
  jsonlHandle,
  type LogFinder,
  type LogHandle,
  type LogOrigin,
  type LogSearch,
  listNames,
  readHead,
  sizeOf,
} from '../logs/index.ts'

const CHATS = 'chats'
const CHAT = /^session-.*\.jsonl?$/
/** A sub-agent's chat is in a folder named after the conversation. */
const SIDE_CHAT = /\.jsonl?$/

const home = ({ env }: LogSearch): string => join(env.GEMINI_CLI_HOME || homeFolder(env), '.gemini')

/** The folders in which Gemini stores the chats of a project, under either of its naming schemes. */
function chatFolders(search: LogSearch): string[] {
  const root = home(search)
  const listed = asObject(asObject(parseJson(readHead(join(root, 'projects.json')))).projects)
  const names = search.folders.flatMap((folder) => {
    const hash = sha256(folder)
    return [asString(listed[folder]), hash].flatMap((name) => name ?? [])
  })
  return names.map((name) => join(root, 'tmp', name, CHATS))
}

const keyOf = (path: string): string =>
  String(parseJson(/"sessionId":\s*("(?:[^"\\]|\\.)*")/.exec(readHead(path, 64 * 1024))?.[1] ?? '') ?? '')

const isSide = (path: string): boolean => basename(dirname(path)) !== CHATS

function chat(path: string, key = keyOf(path)): LogHandle {
  const origin = (records: readonly JsonRecord[]): LogOrigin => ({
    folder: asString(asArray(records[0]?.directories)[0]),
    parent: isSide(path) ? basename(dirname(path)) : undefined,
    isCommand: false,
  })
  if (path.endsWith('.jsonl')) return jsonlHandle(path, key, () => new GeminiParser(), origin)
  return {
    key,
    path,
    open: () => new JsonLog(path, new GeminiParser()),
    firstPrompt: () => firstPrompt(path, new GeminiParser()),
    origin: () => origin([]),
    createdAt: () => createdAt(path),
    size: () => sizeOf(path),
  }
}

/** The chats of Gemini CLI. */
export const geminiLogs: LogFinder = {
  /** The list of projects gives the folder of the chats. */
  folders: (search, keys) => [
    ...chatFolders(search).flatMap((folder) => [folder, ...keys.map((key) => join(folder, basename(key)))]),
    home(search),
  ],
  handle: (path, key) => chat(path, key),
  findByKey(search, key) {
    const files = chatFolders(search).flatMap((folder) =>
      listNames(folder)
        .filter((name) => CHAT.test(name) && name.includes(key.slice(0, 8)))
        .flatMap((name) => fileWrittenSince(folder, name, 0) ?? []),
    )
    const matching = files.filter((path) => keyOf(path) === key)
    const path = matching.find((file) => file.endsWith('.jsonl')) ?? matching[0]
    return path === undefined ? undefined : chat(path)
  },
  writtenSince(search, folder, changed, since) {
    if (folder === home(search)) return []
    const pattern = basename(folder) === CHATS ? CHAT : SIDE_CHAT
    return (changed === undefined ? listNames(folder) : [changed]).flatMap((name) => {
      const path = pattern.test(name) ? fileWrittenSince(folder, name, since) : undefined
      const key = path === undefined ? '' : keyOf(path)
      return path === undefined || key === '' ? [] : [chat(path, key)]
    })
  },
}

/** Messages that the program adds in the user's name before the first one. */
const WRITTEN_BY_PROGRAM = /^\s*<session_context>/

/** A call in one of these states is not finished. */
const OPEN_STATES = new Set(['validating', 'scheduled', 'executing', 'awaiting_approval'])

/** Parses the chats of Gemini CLI: one JSON document, or one line for each message and each change. */
export class GeminiParser {
  readonly #entries = new WeakMap<JsonRecord, Entry>()

  #entry(message: JsonRecord): Entry {
    const cached = this.#entries.get(message)
    if (cached) return cached
    const entry = toEntry(message)
    this.#entries.set(message, entry)
    return entry
  }

  *parse(records: readonly LogRecord[]): Steps<LogSnapshot> {
    const { messages, removed, key } = yield* currentMessages(records)
    const entries = yield* mapInSteps(messages, (message) => this.#entry(message))
    const recorded = [...(yield* mapInSteps(removed, (message) => this.#entry(message))), ...entries]
    return { entries, recorded, hasBranches: false, key }
  }
}

interface Messages {
  readonly messages: JsonRecord[]
  /** Those that a rewind or a compression of the history took out of the conversation. */
  readonly removed: JsonRecord[]
  readonly key: string | undefined
}

/** The current messages: later lines replace earlier ones, and a rewind removes some. */
function* currentMessages(records: readonly LogRecord[]): Steps<Messages> {
  const messages = new Map<string, JsonRecord>()
  const all = new Map<string, JsonRecord>()
  let key: string | undefined
  yield* forEachInSteps(records, ({ value, offset }) => {
    const set = asObject(value.$set)
    key = asString(set.sessionId) ?? asString(value.sessionId) ?? key
    const rewindTo = asString(value.$rewindTo)
    if (rewindTo !== undefined) rewind(messages, rewindTo)
    else if (asString(value.type) !== undefined) {
      const id = asString(value.id) ?? `at-${offset}`
      const message = 'id' in value ? value : { id, ...value }
      messages.set(id, message)
      all.set(id, message)
    }
    if (!Array.isArray(set.messages)) return
    messages.clear()
    for (const [index, message] of set.messages.entries()) {
      if (!isObject(message)) continue
      const id = asString(message.id) ?? `${offset}-${index}`
      messages.set(id, 'id' in message ? message : { id, ...message })
    }
  })
  const removed = [...all].flatMap(([id, message]) => (messages.has(id) ? [] : [message]))
  return { messages: [...messages.values()], removed, key }
}

function rewind(messages: Map<string, JsonRecord>, to: string): void {
  const ids = [...messages.keys()]
  for (const id of ids.slice(Math.max(0, ids.indexOf(to)))) messages.delete(id)
}

function toEntry(message: JsonRecord): Entry {
  const calls = asArray(message.toolCalls).map(asObject)
  const isResponse = message.type === 'gemini'
  const isOwn = message.type === 'user' && WRITTEN_BY_PROGRAM.test(plainText(message.content))
  const role = isOwn ? undefined : isResponse ? 'assistant' : message.type === 'user' ? 'user' : 'system'
  return {
    id: asString(message.id) ?? '',
    timestamp: asTimestamp(message.timestamp),
    raw: message,
    speaker: role,
    role,
    boundary: role === 'system' && /^Chat history compressed/i.test(plainText(message.content)),
    turn: isOwn ? undefined : turnOf(message, calls),
    partial: calls.some(({ status }) => OPEN_STATES.has(asString(status) ?? '')),
    ...(isResponse && modelFields(message)),
    ...(role === 'system' && {
      event: omitUndefined({ kind: asString(message.type), message: plainText(message.content) || undefined }),
    }),
    blocks: lazy(() => blocksOf(message, calls)),
  }
}

function turnOf(message: JsonRecord, calls: readonly JsonRecord[]): Entry['turn'] {
  if (message.type === 'user') return 'in-turn'
  if (message.type === 'gemini') return calls.length > 0 ? 'in-turn' : 'idle'
  return message.type === 'error' || /cancelled/i.test(plainText(message.content)) ? 'idle' : undefined
}

function modelFields(message: JsonRecord): ModelFields {
  const model = asString(message.model)
  const counts = asObject(message.tokens)
  const id = asString(message.id)
  if (model === undefined || id === undefined || Object.keys(counts).length === 0) return omitUndefined({ model })
  const usage = { id, model, tokens: tokensOf(counts), timestamp: asTimestamp(message.timestamp) ?? 0 }
  return { model, contextUsed: asNumber(counts.input) ?? 0, usage }
}

/** Gemini counts cached tokens among the input, and thoughts apart from the output. */
function tokensOf(counts: JsonRecord): Tokens {
  const cacheRead = asNumber(counts.cached) ?? 0
  const reasoning = asNumber(counts.thoughts) ?? 0
  return {
    input: Math.max(0, (asNumber(counts.input) ?? 0) - cacheRead) + (asNumber(counts.tool) ?? 0),
    output: (asNumber(counts.output) ?? 0) + reasoning,
    cacheRead,
    cacheWrite: 0,
    reasoning,
  }
}

function blocksOf(message: JsonRecord, calls: readonly JsonRecord[]): Block[] {
  const thoughts = asArray(message.thoughts).map((item) => {
    const thought = asObject(item)
    return thinkingBlock([asString(thought.subject), asString(thought.description)].filter(Boolean).join('\n'))
  })
  return [...thoughts, ...contentBlocks(message.content), ...calls.flatMap(callBlocks)]
}

function contentBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [textBlock(content)]
  const parts = Array.isArray(content) ? content : content === undefined ? [] : [content]
  return parts.flatMap((item) => {
    if (typeof item === 'string') return textBlock(item)
    const part = asObject(item)
    const media = asObject(part.inlineData ?? part.fileData)
    if (asString(media.mimeType)?.startsWith('image/')) return imageBlock({ ...media, url: media.fileUri })
    return asString(part.text) === undefined ? [] : textBlock(asString(part.text) ?? '')
  })
}

function callBlocks(call: JsonRecord): Block[] {
  const id = asString(call.id)
  const toolCall = { name: asString(call.name) ?? 'tool', input: call.args }
  const use = toolUseBlock(id, toolCall)
  if (OPEN_STATES.has(asString(call.status) ?? '')) return [use]
  const content = resultText(call.result) || stringify(call.resultDisplay)
  const isError = call.status === 'error' || call.status === 'cancelled'
  return [use, toolResultBlock(id, toolCall, { content, isError, details: call.resultDisplay })]
}

/** Text of a tool's result for the model: function responses or plain strings. */
const resultText = (result: unknown): string =>
  (Array.isArray(result) ? result : result === undefined || result === null ? [] : [result])
    .map((item) => {
      const part = asObject(item)
      const response = asObject(asObject(part.functionResponse).response)
      return (
        asString(response.output) ??
        asString(response.error) ??
        asString(part.text) ??
        (typeof item === 'string' ? item : '')
      )
    })
    .filter((text) => text !== '')
    .join('\n')
