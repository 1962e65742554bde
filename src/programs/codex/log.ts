import { basename, join } from 'node:path'
import {
  asArray,
  asNumber,
  asObject,
  asString,
  asTimestamp,
  type Block,
  type Entry,
  imageBlock,
  isObject,
  type JsonRecord,
  lazy,
  type ModelFields,
  mapInSteps,
  omitUndefined,
  parseJson,
  plainText,
  type Steps,
  type Tokens,
  type ToolCall,
  textBlock,
  thinkingBlock,
  toolResultBlock,
  toolUseBlock,
  UNNAMED_MODEL,
} from '../entries/index.ts'
import type { LogRecord, LogSnapshot } from '../logs/index.ts'
import {
  fileWrittenSince,
  folderFromEnv,
  isKey,
  jsonlHandle,
  type LogFinder,
  type LogHandle,
  type LogOrigin,
  type LogSearch,
  listNames,
  type StartedAgent,
  ToolCalls,
} from '../logs/index.ts'

const DAY = 86_400_000
/** Maximum days whose folders are searched for logs written while the supervisor was down. */
const MAX_DAYS = 7
const ROLLOUT = /^rollout-.*\.jsonl$/

const root = ({ env }: LogSearch): string => join(folderFromEnv(env, 'CODEX_HOME', '.codex'), 'sessions')

/** The folder of a day, as year, month and day; in local time, as Codex names them. */
function dayFolder(time: number): [string, string, string] {
  const day = new Date(time)
  const padded = (n: number) => String(n).padStart(2, '0')
  return [String(day.getFullYear()), padded(day.getMonth() + 1), padded(day.getDate())]
}

const keyOf = (path: string): string => {
  const name = basename(path, '.jsonl')
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name)?.[0] ?? name.replace(/^rollout-/, '')
}

const rollout = (path: string): LogHandle => ({
  ...jsonlHandle(path, keyOf(path), () => new CodexParser(keyOf(path)), originOf),
  started: (entries) => entries.flatMap(startedBy),
})

/** The sub-agent that the result of a call names. */
function startedBy({ raw }: Entry): StartedAgent[] {
  const payload = asObject(asObject(raw).payload)
  const agent = asString(asObject(parseJson(asString(payload.output) ?? '')).agent_id)
  const call = asString(payload.call_id)
  return agent === undefined || call === undefined ? [] : [{ agent, call }]
}

function originOf(records: readonly JsonRecord[]): LogOrigin {
  const meta = asObject(records.find(({ type }) => type === 'session_meta')?.payload)
  const spawn = asObject(asObject(asObject(meta.source).subagent).thread_spawn)
  const parent = asString(meta.parent_thread_id) ?? asString(spawn.parent_thread_id)
  return { folder: asString(meta.cwd), parent, isCommand: meta.source === 'exec' }
}

/** The folders of days that have rollouts, newest first. */
const daysIn = (folder: string): string[] =>
  listNames(folder)
    .flatMap((year) => listNames(join(folder, year)).map((month) => join(year, month)))
    .flatMap((month) => listNames(join(folder, month)).map((day) => join(month, day)))
    .sort()
    .reverse()

/** The rollouts of Codex, in a folder for each day. */
export const codexLogs: LogFinder = {
  /** The folders above are watched for those of the next days. */
  folders(search) {
    const days: string[] = []
    const first = Math.max(search.startedAfter, search.now - MAX_DAYS * DAY) - DAY
    for (let time = search.now + DAY; time >= first; time -= DAY) {
      const [year, month, day] = dayFolder(time)
      days.push(join(year, month, day))
    }
    const parts = days.flatMap((day) => [day, join(day, '..'), join(day, '../..')])
    return [...new Set(['', ...parts])].map((part) => join(root(search), part))
  },
  handle: (path) => rollout(path),
  findByKey(search, key) {
    if (!isKey(key)) return undefined
    for (const day of daysIn(root(search))) {
      const folder = join(root(search), day)
      const name = listNames(folder).find((file) => ROLLOUT.test(file) && file.endsWith(`${key}.jsonl`))
      if (name !== undefined) return rollout(join(folder, name))
    }
    return undefined
  },
  writtenSince: (_, folder, changed, since) =>
    (changed === undefined ? listNames(folder) : [changed]).flatMap((name) => {
      const path = ROLLOUT.test(name) ? fileWrittenSince(folder, name, since) : undefined
      return path === undefined ? [] : [rollout(path)]
    }),
}

/** Messages in the user's name that the program adds itself. */
const WRITTEN_BY_PROGRAM =
  /^\s*<(?:environment_context|user_instructions|permissions|turn_aborted|INSTRUCTIONS)|^# AGENTS\.md instructions/

/** A copy of a conversation is written within this time, and no answer comes that soon. */
const COPY_MS = 500

const TURN_STARTED: ReadonlySet<unknown> = new Set(['task_started', 'turn_started'])
const TURN_ENDED: ReadonlySet<unknown> = new Set(['task_complete', 'turn_complete', 'turn_aborted'])

/** Parses a rollout of Codex. */
export class CodexParser {
  readonly #entries = new WeakMap<LogRecord, Entry>()
  readonly #calls = new ToolCalls()
  #model: string | undefined
  /** True if the log marks where turns begin and end. */
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

  /** A fork of an older version begins with a copy of the records so far, which is written immediately. */
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
    const usage = { id: `total:${this.key}:${total}`, model: model ?? UNNAMED_MODEL, tokens, timestamp }
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
