import { constants, Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { redactTokens } from '../../core/text/index.ts'
import {
  asArray,
  asNumber,
  asObject,
  asString,
  asTimestamp,
  type Block,
  type Entry,
  forEachInSteps,
  imageBlock,
  isObject,
  type JsonRecord,
  lazy,
  type ModelFields,
  mapInSteps,
  omitUndefined,
  parseJson,
  runInSteps,
  runSync,
  type Steps,
  type Tokens,
  textBlock,
  thinkingBlock,
  toolResultBlock,
  toolUseBlock,
} from '../entries/index.ts'
import type { LogFinder, LogHandle, LogReader, LogRecord, LogSnapshot, StartedAgent } from '../logs/index.ts'
import { folderFromEnv, isFile, type LogSearch, shortHash } from '../logs/index.ts'

const DATABASE = 'opencode.db'

const folderOf = ({ env }: LogSearch): string =>
  join(folderFromEnv(env, 'XDG_DATA_HOME', '.local', 'share'), 'opencode')

function conversation(path: string, key: string, known?: OpenCodeSession): LogHandle {
  const row = () => known ?? findSession(path, key)
  return {
    key,
    path,
    open: () => new OpenCodeLog(path, key),
    firstPrompt: () => firstPrompt(path, key),
    origin: () => ({ folder: row()?.directory, parent: row()?.parent_id ?? undefined, isCommand: false }),
    createdAt: () => row()?.time_created ?? 0,
    size: () => 0,
    children: (entries) => entries.flatMap(childrenOf),
    openChild: (id) => new OpenCodeLog(path, id),
  }
}

/** The conversations that the calls of a message started. */
const childrenOf = ({ raw }: Entry): StartedAgent[] =>
  asArray(asObject(raw).parts).flatMap((item) => {
    const part = asObject(item)
    const id = asString(asObject(asObject(part.state).metadata).sessionId)
    return id === undefined ? [] : { agent: id, call: asString(part.callID) ?? '' }
  })

/** The conversations in the database of OpenCode. */
export const opencodeLogs: LogFinder = {
  folders: (search) => [folderOf(search)],
  handle: (path, key) => conversation(path, key),
  findByKey(search, key) {
    const path = join(folderOf(search), DATABASE)
    return findSession(path, key) ? conversation(path, key) : undefined
  },
  writtenSince(search, folder, changed, since) {
    if (changed !== undefined && !changed.startsWith(DATABASE)) return []
    const path = join(folder, DATABASE)
    return search.folders.flatMap((project) =>
      sessionsIn(path, project, since).map((session) => conversation(path, session.id, session)),
    )
  },
}

/** A session in the database of OpenCode. */
export interface OpenCodeSession {
  id: string
  parent_id: string | null
  directory: string
  time_created: number
}

const URI = 0x40
/** Only the newest conversations are found. */
const MAX_SESSIONS = 1000
/** Only the newest messages are read. */
const MAX_MESSAGES = 5000
const SELECT_SESSION = '/* gc reads along */ SELECT id, parent_id, directory, time_created FROM session'

/**
 * Opens another program's database read-only. While it is in use its write-ahead log is read as well, without blocking
 * the writer; otherwise it is opened as immutable, so that no files are created beside it.
 */
export function openDatabase(path: string): Database | undefined {
  if (!isFile(path)) return undefined
  try {
    const db = existsSync(`${path}-wal`)
      ? new Database(path, { readonly: true })
      : new Database(`file:${encodeURI(path)}?immutable=1`, constants.SQLITE_OPEN_READONLY | URI)
    // A link on the way can have come meanwhile.
    if (isPlain(db) && isFile(path)) return db
    db.close()
    return undefined
  } catch {
    return undefined
  }
}

/** True if what is read are tables: anyone who writes the database could have a query of a view run indefinitely. */
const isPlain = (db: Database): boolean =>
  db
    .query<{ name: string }, []>(
      `SELECT name FROM sqlite_schema WHERE lower(name) IN ('session', 'message', 'part')
       AND (type <> 'table' OR sql NOT LIKE 'CREATE TABLE%') LIMIT 1`,
    )
    .get() === null

/** The conversations in a folder that were written since a time, also those of sub-agents, newest first. */
export function sessionsIn(path: string, folder: string, since: number): OpenCodeSession[] {
  const select = (column: string) =>
    queryOnce(path, (db) =>
      db
        .query<OpenCodeSession, [string, number]>(
          `${SELECT_SESSION} WHERE directory = ? AND ${column} >= ? ORDER BY time_created DESC LIMIT ${MAX_SESSIONS}`,
        )
        .all(folder, since),
    )
  // The first versions keep no time of the last change.
  return select('time_updated') ?? select('time_created') ?? []
}

export const findSession = (path: string, id: string): OpenCodeSession | undefined =>
  queryOnce(path, (db) => db.query<OpenCodeSession, [string]>(`${SELECT_SESSION} WHERE id = ?`).get(id)) ?? undefined

/** The first prompt of a conversation. */
export function firstPrompt(path: string, id: string): string {
  const row = queryOnce(path, (db) =>
    db
      .query<{ data: string }, [string]>(
        `SELECT part.data FROM part JOIN message ON message.id = part.message_id WHERE part.session_id = ?
         AND message.data LIKE '%"role":"user"%' ORDER BY message.time_created, part.id LIMIT 1`,
      )
      .get(id),
  )
  return String(asObject(parseJson(row?.data ?? '')).text ?? '')
}

function queryOnce<T>(path: string, query: (db: Database) => T): T | undefined {
  const db = openDatabase(path)
  if (!db) return undefined
  try {
    return query(db)
  } catch {
    return undefined
  } finally {
    db.close()
  }
}

/** One conversation in the database of OpenCode. */
export class OpenCodeLog implements LogReader {
  readonly #parser: OpenCodeParser
  readonly #records = new Map<string, LogRecord>()
  #statements: Statements | undefined
  #mode = ''
  #lastCount: ConversationCount = { messages: 0, parts: 0, latest: -1 }
  #snapshot: LogSnapshot
  #generation = 0
  #truncated = false

  constructor(
    readonly path: string,
    readonly key: string,
  ) {
    this.#parser = new OpenCodeParser(key)
    this.#snapshot = runSync(this.#parser.parse([]))
  }

  readonly diagnostics = []

  get stream(): string {
    return shortHash(`${this.path}:${this.key}`)
  }

  get generation(): number {
    return this.#generation
  }

  get truncated(): boolean {
    return this.#truncated
  }

  get files(): readonly string[] {
    return [this.path, `${this.path}-wal`]
  }

  get snapshot(): LogSnapshot {
    return this.#snapshot
  }

  /** A database that cannot be read now is read again at its next change. */
  async refresh(): Promise<boolean> {
    try {
      const changed = await runInSteps(this.#read())
      if (changed) this.#snapshot = await runInSteps(this.#parser.parse([...this.#records.values()]))
      return changed
    } catch {
      this.#disconnect()
      return false
    }
  }

  close(): void {
    this.#disconnect()
    this.#records.clear()
  }

  *#read(): Steps<boolean> {
    const statements = this.#connect()
    const now = statements?.count.get(this.key, this.key)
    if (!statements || !now) return false
    const { messages, parts, latest } = this.#lastCount
    if (now.messages === messages && now.parts === parts && now.latest === latest) return false
    const hasShrunk = now.messages < messages || now.parts < parts
    if (hasShrunk) this.#reset()
    const isFirst = this.#records.size === 0
    const ids = isFirst ? statements.newest.all(this.key) : statements.changed.all(this.key, latest, this.key, latest)
    yield* forEachInSteps(ids, ({ id }) => this.#load(statements, id))
    this.#truncated ||= isFirst && now.messages > ids.length
    this.#lastCount = now
    return hasShrunk || ids.length > 0
  }

  /** A message that was loaded before keeps its position, a new one comes last. */
  #load(statements: Statements, id: string): void {
    const row = statements.message.get(id)
    if (row) this.#records.set(id, toRecord(this.key, id, row.data, statements.parts.all(id), this.#records.size))
  }

  #reset(): void {
    this.#records.clear()
    this.#generation++
    this.#truncated = false
  }

  /** A connection in the mode that fits the current use of the database. */
  #connect(): Statements | undefined {
    const isInUse = existsSync(`${this.path}-wal`)
    const mode = isInUse ? 'shared' : `still ${statSync(this.path, { throwIfNoEntry: false })?.mtimeMs ?? 'gone'}`
    if (this.#statements && mode === this.#mode) return this.#statements
    this.#disconnect()
    const db = openDatabase(this.path)
    if (!db) return undefined
    this.#mode = mode
    this.#statements = prepareStatements(db)
    return this.#statements
  }

  #disconnect(): void {
    this.#statements?.db.close()
    this.#statements = undefined
  }
}

/** The size of a conversation, and the time of its last change. */
interface ConversationCount {
  messages: number
  parts: number
  latest: number
}

type Statements = ReturnType<typeof prepareStatements>

const prepareStatements = (db: Database) => ({
  db,
  count: db.prepare<ConversationCount, [string, string]>(
    `SELECT m.n AS messages, p.n AS parts, max(m.at, p.at) AS latest
     FROM (SELECT count(*) AS n, coalesce(max(time_updated), 0) AS at FROM message WHERE session_id = ?) AS m,
          (SELECT count(*) AS n, coalesce(max(time_updated), 0) AS at FROM part WHERE session_id = ?) AS p`,
  ),
  newest: db.prepare<{ id: string }, [string]>(
    `SELECT id FROM (SELECT id, time_created FROM message WHERE session_id = ?
     ORDER BY time_created DESC, id DESC LIMIT ${MAX_MESSAGES}) ORDER BY time_created, id`,
  ),
  changed: db.prepare<{ id: string }, [string, number, string, number]>(
    `SELECT id FROM message WHERE id IN (
       SELECT id FROM message WHERE session_id = ? AND time_updated >= ?
       UNION SELECT message_id FROM part WHERE session_id = ? AND time_updated >= ?)
     ORDER BY time_created, id`,
  ),
  message: db.prepare<{ data: string }, [string]>('SELECT data FROM message WHERE id = ?'),
  parts: db.prepare<PartRow, [string]>('SELECT id, data FROM part WHERE message_id = ? ORDER BY id'),
})

interface PartRow {
  id: string
  data: string
}

/** A message as OpenCode exports it. */
function toRecord(sessionID: string, id: string, data: string, parts: readonly PartRow[], index: number): LogRecord {
  const info = { ...parseObject(data), id, sessionID }
  const partRecords = parts.map((part) => ({ ...parseObject(part.data), id: part.id, messageID: id, sessionID }))
  return { offset: index, size: data.length, value: { info, parts: partRecords } }
}

const parseObject = (data: string): object => {
  const value = parseJson(redactTokens(data))
  return isObject(value) ? value : {}
}

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

/** True if a message was copied from the conversation that its own was forked from. */
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
