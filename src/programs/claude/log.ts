import { existsSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import type { Block, Entry, ModelFields, ModelUsage, Tokens, ToolCall } from '../entries/index.ts'
import {
  asArray,
  asNumber,
  asObject,
  asString,
  asTimestamp,
  firstString,
  forEachInSteps,
  imageBlock,
  type JsonRecord,
  lazy,
  mapInSteps,
  omitUndefined,
  parseJson,
  plainText,
  type Steps,
  textBlock,
  thinkingBlock,
  toolResultBlock,
  toolUseBlock,
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
  readHead,
  ToolCalls,
} from '../logs/index.ts'

const SIDE_FILE = /^agent-(.+)\.jsonl$/
const SIDE_FOLDER = 'subagents'
/** Sub-agents of a workflow have folders of their own in that of sub-agents. */
const MAX_NESTED_FOLDERS = 100
/** More programs do not run at a time. */
const MAX_PROCESS_FILES = 500

const configFolder = ({ env }: LogSearch): string => folderFromEnv(env, 'CLAUDE_CONFIG_DIR', '.claude')

/** Claude names a folder after the path of a project, with other characters replaced by dashes. */
const projects = (search: LogSearch): string[] => {
  const root = join(configFolder(search), 'projects')
  const slugs = search.folders.flatMap((folder) => [folder.replace(/[/.]/g, '-'), folder.replace(/[^A-Za-z0-9]/g, '-')])
  return [...new Set(slugs)].map((slug) => join(root, slug))
}

const mainLog = (path: string): LogHandle => ({
  ...jsonlHandle(path, basename(path, '.jsonl'), () => new ClaudeParser(), originOf),
  sides: () =>
    logsIn(join(dirname(path), basename(path, '.jsonl'), SIDE_FOLDER)).filter(
      (log) => log.origin().parent !== undefined,
    ),
})

/** A sub-agent's log names its conversation by its folder, or in older versions by its records. */
const sideLog = (path: string, key: string): LogHandle =>
  jsonlHandle(
    path,
    key,
    () => new ClaudeParser({ sidechains: true }),
    (records) => {
      const [before, after] = path.split(`${sep}${SIDE_FOLDER}${sep}`)
      const named = records.map(({ sessionId }) => asString(sessionId)).find((id) => id !== undefined)
      return { ...originOf(records), parent: after === undefined ? (named ?? '') : basename(before ?? '') }
    },
  )

const logAt = (path: string): LogHandle => {
  const agent = SIDE_FILE.exec(basename(path))?.[1]
  return agent === undefined ? mainLog(path) : sideLog(path, agent)
}

const logsIn = (folder: string, changed?: string, since = 0): LogHandle[] =>
  (changed === undefined ? listNames(folder) : [changed]).flatMap((name) => {
    const path = name.endsWith('.jsonl') ? fileWrittenSince(folder, name, since) : undefined
    return path === undefined ? [] : [logAt(path)]
  })

function originOf(records: readonly JsonRecord[]): LogOrigin {
  const first = (field: string) => records.map((record) => asString(record[field])).find((text) => text !== undefined)
  return { folder: first('cwd'), isCommand: first('entrypoint')?.startsWith('sdk') ?? false }
}

/** The folders in a folder; a name without a dot, since logs have one. */
const nestedFolders = (folder: string): string[] =>
  listNames(folder)
    .filter((name) => !name.includes('.'))
    .slice(0, MAX_NESTED_FOLDERS)
    .map((name) => join(folder, name))

/** The logs of Claude Code. */
export const claudeLogs: LogFinder = {
  folders(search, keys) {
    const sides = projects(search)
      .filter((project) => existsSync(project))
      .flatMap((project) => keys.map((key) => join(project, key, SIDE_FOLDER)))
    const nested = sides.flatMap(nestedFolders)
    return [...projects(search), ...sides, ...nested, ...nested.flatMap(nestedFolders)]
  },
  handle: (path, key, isSide) => (isSide ? sideLog(path, key) : mainLog(path)),
  findByKey(search, key) {
    const path = projects(search)
      .map((folder) => join(folder, `${key}.jsonl`))
      .find((file) => isKey(key) && existsSync(file))
    return path === undefined ? undefined : mainLog(path)
  },
  writtenSince: (_, folder, changed, since) => logsIn(folder, changed, since),
  /** Each running program keeps a file, named after its process, of the conversation that it holds. */
  writers(search, key) {
    const folder = join(configFolder(search), 'sessions')
    const files = listNames(folder).filter((name) => /^\d+\.json$/.test(name))
    return files.slice(0, MAX_PROCESS_FILES).flatMap((name) => {
      const { pid, procStart, sessionId } = asObject(parseJson(readHead(join(folder, name), 16 * 1024)))
      const id = asNumber(pid)
      return sessionId === key && id !== undefined ? [{ pid: id, started: asString(procStart) }] : []
    })
  },
}

const SPEAKERS = ['user', 'assistant', 'system', 'result'] as const
const INTERRUPTED = /^\[Request interrupted by user/
/** Messages in the user's name that the program writes itself, such as the output of its own commands. */
const WRITTEN_BY_PROGRAM = /^\s*<(?:local-command|command-(?:name|message|args)|bash-(?:input|stdout|stderr))/

/** Parses the log of Claude Code. */
export class ClaudeParser {
  readonly #entries = new WeakMap<LogRecord, Entry>()
  readonly #calls = new ToolCalls()
  #branch: Branch | undefined

  /** `sidechains`: the log belongs to a sub-agent, whose entries are all marked as sidechains. */
  constructor(private readonly options: { sidechains?: boolean } = {}) {}

  *parse(records: readonly LogRecord[]): Steps<LogSnapshot> {
    const { sidechains = false } = this.options
    this.#branch = extendBranch(this.#branch, records, sidechains) ?? (yield* selectBranch(records, sidechains))
    const { records: selected, hasBranches } = this.#branch
    const key = asString(selected.findLast(({ value }) => asString(value.sessionId) !== undefined)?.value.sessionId)
    const recorded = yield* mapInSteps(records.filter(isEntry), (record) => this.#entry(record))
    return { entries: yield* mapInSteps(selected, (record) => this.#entry(record)), recorded, hasBranches, key }
  }

  #entry(record: LogRecord): Entry {
    const cached = this.#entries.get(record)
    if (cached) return cached
    const entry = this.#toEntry(record)
    this.#entries.set(record, entry)
    return entry
  }

  #toEntry({ value, offset }: LogRecord): Entry {
    const message = asObject(value.message)
    const content = message.content ?? value.content ?? value.result
    const answeredCalls = this.#trackCalls(content)
    const speaker = SPEAKERS.find((type) => type === value.type)
    return {
      id: asString(value.uuid) ?? `at-${offset}`,
      timestamp: asTimestamp(value.timestamp),
      raw: value,
      speaker,
      role: roleOf(value, answeredCalls.size > 0),
      boundary: value.subtype === 'compact_boundary',
      turn: turnOf(value, message, content),
      partial: false,
      ...(value.type === 'assistant' && modelFields(value, message)),
      ...(value.type === 'system' && { event: systemEvent(value) }),
      blocks: lazy(() => blocksOf(content, answeredCalls, value.toolUseResult)),
    }
  }

  /** Remembers the calls of a message, and maps each of its results to the call it answers. */
  #trackCalls(content: unknown): AnsweredCalls {
    const answeredCalls = new Map<unknown, ToolCall | undefined>()
    for (const item of asArray(content)) {
      const block = asObject(item)
      const id = asString(block.id)
      if (block.type === 'tool_use' && id) this.#calls.add(id, toToolCall(block))
      if (block.type === 'tool_result') answeredCalls.set(block, this.#calls.find(asString(block.tool_use_id)))
    }
    return answeredCalls
  }
}

/** Lines without an id are the program's notes on the conversation. */
const isEntry = ({ value }: LogRecord): boolean => asString(value.uuid) !== undefined

/** The call that each result block answers. */
type AnsweredCalls = ReadonlyMap<unknown, ToolCall | undefined>

const toToolCall = (block: JsonRecord): ToolCall => ({ name: asString(block.name) ?? 'tool', input: block.input })

function blocksOf(content: unknown, answeredCalls: AnsweredCalls, details: unknown): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [textBlock(content)]
  return asArray(content).map((item) =>
    typeof item === 'string' ? textBlock(item) : blockOf(asObject(item), answeredCalls, details),
  )
}

function blockOf(block: JsonRecord, answeredCalls: AnsweredCalls, details: unknown): Block {
  switch (block.type) {
    case 'text':
      return textBlock(asString(block.text) ?? '')
    case 'thinking':
    case 'redacted_thinking':
      return thinkingBlock(asString(block.thinking), asString(block.signature))
    case 'tool_use':
    case 'server_tool_use':
      return toolUseBlock(asString(block.id), toToolCall(block))
    case 'tool_result': {
      const outcome = { content: plainText(block.content), isError: block.is_error === true, details }
      return toolResultBlock(asString(block.tool_use_id), answeredCalls.get(block), outcome)
    }
    case 'image':
      return imageBlock(block)
    default:
      return omitUndefined({ type: 'unknown' as const, name: asString(block.type), text: asString(block.text) })
  }
}

function roleOf(value: JsonRecord, results: boolean): Entry['role'] {
  if (value.type === 'tool_result' || (value.type === 'user' && results)) return 'tool'
  if (value.type === 'user' || value.type === 'assistant') return value.type
  return value.type === 'system' || value.type === 'result' ? 'system' : undefined
}

function turnOf(value: JsonRecord, message: JsonRecord, content: unknown): Entry['turn'] {
  if (value.type === 'assistant') {
    const reason = asString(message.stop_reason)
    if (reason === undefined) return undefined
    return reason === 'tool_use' || reason === 'pause_turn' ? 'in-turn' : 'idle'
  }
  if (value.type === 'tool_result') return 'in-turn'
  if (value.type === 'user') {
    const text = plainText(content)
    if (INTERRUPTED.test(text)) return 'idle'
    return value.isMeta === true || value.isCompactSummary === true || WRITTEN_BY_PROGRAM.test(text)
      ? undefined
      : 'in-turn'
  }
  return value.type === 'result' || value.subtype === 'turn_duration' ? 'idle' : undefined
}

function modelFields(value: JsonRecord, message: JsonRecord): ModelFields {
  const model = asString(message.model)
  if (model === undefined || model.startsWith('<')) return {}
  const stopReason = asString(message.stop_reason)
  const counts = asObject(message.usage)
  if (Object.keys(counts).length === 0) return omitUndefined({ model, stopReason })
  const tokens = tokensOf(counts)
  const id = asString(message.id) ?? asString(value.requestId) ?? asString(value.uuid) ?? ''
  const usage: ModelUsage = { id, model, tokens, timestamp: asTimestamp(value.timestamp) ?? 0 }
  const contextUsed = tokens.input + tokens.cacheRead + tokens.cacheWrite
  return omitUndefined({ model, stopReason, usage, contextUsed: contextUsed > 0 ? contextUsed : undefined })
}

const tokensOf = (usage: JsonRecord): Tokens => ({
  input: asNumber(usage.input_tokens) ?? 0,
  output: asNumber(usage.output_tokens) ?? 0,
  cacheRead: asNumber(usage.cache_read_input_tokens) ?? 0,
  cacheWrite: asNumber(usage.cache_creation_input_tokens) ?? 0,
  reasoning: 0,
})

const systemEvent = (value: JsonRecord) =>
  omitUndefined({
    kind: asString(value.subtype),
    category: asString(value.level),
    message: firstString(value, 'content', 'message'),
  })

/** The branch of a log that is shown as the conversation. */
interface Branch {
  readonly records: readonly LogRecord[]
  /** True if the log has other branches as well. */
  readonly hasBranches: boolean
  /** Number of records of the log that were considered, and the last of them. */
  readonly recordCount: number
  readonly lastRecord: LogRecord | undefined
}

interface Node {
  readonly record: LogRecord
  readonly id: string
  readonly parent: string | undefined
  readonly index: number
  readonly timestamp: number
  readonly depth: number
}

/**
 * Claude's log is a tree: each entry names its parent. The selected branch ends at the newest tip; entries of
 * sub-agents do not belong to it.
 */
function* selectBranch(records: readonly LogRecord[], sidechains = false): Steps<Branch> {
  const nodes = yield* buildNodes(records, sidechains)
  const tip = yield* newestNode(nodes)
  const position = { recordCount: records.length, lastRecord: records.at(-1) }
  if (!tip) return { records: [], hasBranches: false, ...position }
  const selected = new Set<Node>()
  yield* forEachInSteps(ancestors(tip, nodes), (node) => selected.add(node))
  const results = yield* parallelResults(nodes, selected)
  const parents = new Set<string | undefined>()
  yield* forEachInSteps(nodes.values(), ({ parent }) => parents.add(parent))
  const ordered: LogRecord[] = []
  let hasBranches = false
  yield* forEachInSteps(records, (record) => {
    const node = nodes.get(asString(record.value.uuid) ?? '')
    if (!node || node.record !== record) return
    if (selected.has(node) || results.has(node)) ordered.push(record)
    else hasBranches ||= !parents.has(node.id) && isMessage(record)
  })
  return { records: ordered, hasBranches, ...position }
}

/** A node, its parent and so on up to the root; a cycle ends the walk. */
function* ancestors(tip: Node, nodes: ReadonlyMap<string, Node>): Generator<Node, void, void> {
  const visited = new Set<Node>()
  for (let node: Node | undefined = tip; node && !visited.has(node); node = nodes.get(node.parent ?? '')) {
    visited.add(node)
    yield node
  }
}

/** Extends a branch by new records that all continue it; undefined when the branch must be selected again. */
function extendBranch(
  branch: Branch | undefined,
  records: readonly LogRecord[],
  sidechains: boolean,
): Branch | undefined {
  if (!branch || branch.recordCount > records.length || records[branch.recordCount - 1] !== branch.lastRecord)
    return undefined
  const added: LogRecord[] = []
  let tip = branch.records.at(-1)
  for (const record of records.slice(branch.recordCount)) {
    const { uuid, isSidechain, timestamp } = record.value
    if (asString(uuid) === undefined || (isSidechain === true && !sidechains)) continue
    const isLater = (asTimestamp(timestamp) ?? 0) >= (asTimestamp(tip?.value.timestamp) ?? 0)
    if (!tip || parentOf(record) !== tip.value.uuid || !isLater) return undefined
    added.push(record)
    tip = record
  }
  const position = { recordCount: records.length, lastRecord: records.at(-1) }
  return {
    records: added.length > 0 ? [...branch.records, ...added] : branch.records,
    hasBranches: branch.hasBranches,
    ...position,
  }
}

const parentOf = ({ value }: LogRecord): string | undefined =>
  asString(value.parentUuid) ?? asString(value.logicalParentUuid)

const isMessage = ({ value }: LogRecord): boolean => value.type === 'user' || value.type === 'assistant'

function* buildNodes(records: readonly LogRecord[], sidechains: boolean): Steps<Map<string, Node>> {
  const nodes = new Map<string, Node>()
  yield* forEachInSteps(records, (record, index) => {
    const { value } = record
    const id = asString(value.uuid)
    if (id === undefined || (value.isSidechain === true && !sidechains)) return
    const parent = parentOf(record)
    const parentNode = parent === undefined ? undefined : nodes.get(parent)
    const timestamp = asTimestamp(value.timestamp) ?? parentNode?.timestamp ?? 0
    nodes.set(id, { record, id, parent, index, timestamp, depth: (parentNode?.depth ?? 0) + 1 })
  })
  return nodes
}

/** The node that was written last; among equals the deepest. */
function* newestNode(nodes: ReadonlyMap<string, Node>): Steps<Node | undefined> {
  let tip: Node | undefined
  yield* forEachInSteps(nodes.values(), (node) => {
    if (!tip || isNewer(node, tip)) tip = node
  })
  return tip
}

function isNewer(node: Node, than: Node): boolean {
  if (node.timestamp !== than.timestamp) return node.timestamp > than.timestamp
  return node.depth === than.depth ? node.index > than.index : node.depth > than.depth
}

/** Results of parallel calls are siblings: all belong to the conversation, although it continues from only one of them. */
function* parallelResults(nodes: ReadonlyMap<string, Node>, selected: ReadonlySet<Node>): Steps<Set<Node>> {
  const called = new Set<string>()
  const answered = new Set<string>()
  yield* forEachInSteps(selected, ({ record }) => {
    for (const id of callIds(record)) called.add(id)
    for (const id of resultIds(record)) answered.add(id)
  })
  const results = new Set<Node>()
  yield* forEachInSteps(nodes.values(), (node) => {
    if (selected.has(node)) return
    const ids = resultIds(node.record)
    if (ids.length === 0 || !ids.every((id) => called.has(id) && !answered.has(id))) return
    results.add(node)
    for (const id of ids) answered.add(id)
  })
  return results
}

const contentOf = ({ value }: LogRecord): readonly unknown[] => asArray(asObject(value.message).content)

const callIds = (record: LogRecord): string[] =>
  contentOf(record).flatMap((item) => {
    const block = asObject(item)
    return block.type === 'tool_use' ? (asString(block.id) ?? []) : []
  })

const resultIds = (record: LogRecord): string[] =>
  contentOf(record).flatMap((item) => {
    const block = asObject(item)
    return block.type === 'tool_result' ? (asString(block.tool_use_id) ?? []) : []
  })
