import { constants, Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { redactTokens } from '../../../http/credentials.ts'
import { asObject, isObject, parseJson } from '../entries/json.ts'
import type { LogReader, LogRecord, LogSnapshot } from '../entries/log-reader.ts'
import { forEachInSteps, runInSteps, runSync, type Steps } from '../entries/steps.ts'
import { isFile } from './files.ts'
import { shortHash } from './jsonl-log.ts'
import { OpenCodeParser } from './opencode.ts'

/** An own session of OpenCode, as far as one looks for it. */
export interface OpenCodeSession {
  id: string
  time_created: number
}

const URI = 0x40
/** At most so many messages are read, the newest. */
const MAX_MESSAGES = 5000
const SELECT_SESSION = '/* gc reads along */ SELECT id, time_created FROM session'

/**
 * Opens somebody else's database to read along. While it is in use, its log is read too and its writer is never
 * held up; one that nobody has open is read as it lies there, so that nothing is made beside it.
 */
export function openDatabase(path: string): Database | undefined {
  if (!isFile(path)) return undefined
  try {
    if (existsSync(`${path}-wal`)) return new Database(path, { readonly: true })
    return new Database(`file:${encodeURI(path)}?immutable=1`, constants.SQLITE_OPEN_READONLY | URI)
  } catch {
    return undefined
  }
}

/** The conversations that were begun in a folder since a moment, newest first. */
export function sessionsIn(path: string, folder: string, since: number): OpenCodeSession[] {
  return (
    queryOnce(path, (db) =>
      db
        .query<OpenCodeSession, [string, number]>(
          `${SELECT_SESSION} WHERE directory = ? AND time_created >= ? AND parent_id IS NULL ORDER BY time_created DESC LIMIT 50`,
        )
        .all(folder, since),
    ) ?? []
  )
}

export const hasSession = (path: string, id: string): boolean =>
  queryOnce(path, (db) => db.query<OpenCodeSession, [string]>(`${SELECT_SESSION} WHERE id = ?`).get(id)) != null

/** The first words of a person in a conversation. */
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

function queryOnce<T>(path: string, ask: (db: Database) => T): T | undefined {
  const db = openDatabase(path)
  if (!db) return undefined
  try {
    return ask(db)
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
  #view: LogSnapshot
  #generation = 0
  #truncated = false

  constructor(
    readonly path: string,
    readonly key: string,
  ) {
    this.#parser = new OpenCodeParser(key)
    this.#view = runSync(this.#parser.parse([]))
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
    return this.#view
  }

  /** A database that cannot be read just now is read at its next change. */
  async refresh(): Promise<boolean> {
    try {
      const changed = await runInSteps(this.#read())
      if (changed) this.#view = await runInSteps(this.#parser.parse([...this.#records.values()]))
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
    const open = this.#connect()
    const now = open?.count.get(this.key, this.key)
    if (!open || !now) return false
    const { messages, parts, latest } = this.#lastCount
    if (now.messages === messages && now.parts === parts && now.latest === latest) return false
    const back = now.messages < messages || now.parts < parts
    if (back) this.#reset()
    const first = this.#records.size === 0
    const ids = first ? open.newest.all(this.key) : open.changed.all(this.key, latest, this.key, latest)
    yield* forEachInSteps(ids, ({ id }) => this.#load(open, id))
    this.#truncated ||= first && now.messages > ids.length
    this.#lastCount = now
    return back || ids.length > 0
  }

  /** A known message keeps its place, a new one comes last. */
  #load(open: Statements, id: string): void {
    const row = open.message.get(id)
    if (row) this.#records.set(id, toRecord(this.key, id, row.data, open.parts.all(id), this.#records.size))
  }

  #reset(): void {
    this.#records.clear()
    this.#generation++
    this.#truncated = false
  }

  /** A connection fit for how the database is used just now. */
  #connect(): Statements | undefined {
    const used = existsSync(`${this.path}-wal`)
    const mode = used ? 'shared' : `still ${statSync(this.path, { throwIfNoEntry: false })?.mtimeMs ?? 'gone'}`
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

/** How much there is of a conversation, and when it last changed. */
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
function toRecord(sessionID: string, id: string, data: string, parts: readonly PartRow[], place: number): LogRecord {
  const info = { ...parseObject(data), id, sessionID }
  const own = parts.map((part) => ({ ...parseObject(part.data), id: part.id, messageID: id, sessionID }))
  return { offset: place, size: data.length, value: { info, parts: own } }
}

const parseObject = (data: string): object => {
  const value = parseJson(redactTokens(data))
  return isObject(value) ? value : {}
}
