import { join } from 'node:path'
import type { Entry } from '../entries/index.ts'
import { isObject, type JsonRecord, parseJson } from '../entries/index.ts'
import { isFile } from './files.ts'
import { createdAt, firstPrompt, readHead, sizeOf, writtenAt } from './head.ts'
import { JsonlLog, type LogParser, type LogReaderOptions } from './jsonl-log.ts'
import type { LogReader } from './log-reader.ts'
import type { LogSearch } from './search.ts'

/** The owner of a log, as far as its own first records tell. */
export interface LogOrigin {
  /** Its working folder. */
  readonly folder?: string | undefined
  /** The conversation that a sub-agent's log belongs to; undefined for a conversation of its own. */
  readonly parent?: string | undefined
  /** True if a command without a screen wrote it, such as `claude -p`. */
  readonly isCommand: boolean
}

/** A sub-agent, and the id of the call that started it; '' when that is not known. */
export interface StartedAgent {
  readonly agent: string
  readonly call: string
}

/** A log that can be opened. */
export interface LogHandle {
  /** The program's own id of the conversation, or of the sub-agent. */
  readonly key: string
  readonly path: string
  open(bounds: LogReaderOptions): LogReader
  /** The first prompt of the conversation. */
  firstPrompt(): string
  origin(): LogOrigin
  /** Time of creation; 0 if it does not exist. */
  createdAt(): number
  /** Its size in bytes, as far as it is a file of its own. */
  size(): number
  /** The logs of its sub-agents beside it. */
  sides?(): LogHandle[]
  /** Sub-agents by the results of the calls that started them. */
  started?(entries: readonly Entry[]): StartedAgent[]
  /** The conversations of sub-agents that its calls started, which are not logs of their own. */
  children?(entries: readonly Entry[]): StartedAgent[]
  /** Opens one of these. */
  openChild?(id: string): LogReader
}

/** A process that holds a conversation. */
export interface LogWriter {
  readonly pid: number
  /** Start time in clock ticks since boot, if the program records it. */
  readonly started: string | undefined
}

/** Finds the logs of one kind of program. */
export interface LogFinder {
  /** The folders in which logs of a session appear, given the conversations that it had so far. */
  folders(search: LogSearch, keys: readonly string[]): string[]
  /** Opens a log that was found before. */
  handle(path: string, key: string, isSide: boolean): LogHandle
  /** Finds the log of a conversation by its id. */
  findByKey(search: LogSearch, key: string): LogHandle | undefined
  /** The logs in a folder that were written since a time; only those that a change of this name can concern. */
  writtenSince(search: LogSearch, folder: string, name: string | undefined, since: number): LogHandle[]
  /** The processes that hold a conversation, by the program's own account. */
  writers?(search: LogSearch, key: string): LogWriter[]
}

/** Names a log among all. */
export const logId = ({ path, key }: Pick<LogHandle, 'path' | 'key'>): string => `${path}\0${key}`

/** A file of one JSON object a line. */
export const jsonlHandle = (
  path: string,
  key: string,
  parser: () => LogParser,
  origin: (records: readonly JsonRecord[]) => LogOrigin,
): LogHandle => ({
  key,
  path,
  open: (bounds) => new JsonlLog(path, parser, bounds),
  firstPrompt: () => firstPrompt(path, parser()),
  origin: () => origin(headRecords(path)),
  createdAt: () => createdAt(path),
  size: () => sizeOf(path),
})

const ORIGIN_BYTES = 256 * 1024

/** The first records of a file. A line that is cut off is left out. */
export const headRecords = (path: string): JsonRecord[] =>
  readHead(path, ORIGIN_BYTES).split('\n').map(parseJson).filter(isObject)

/** A key is part of file names, so it must not contain a path. */
export const isKey = (key: string): boolean => /^[\w.-]+$/.test(key) && !key.includes('..')

/** A regular file of a folder, if it was written since a time. */
export function fileWrittenSince(folder: string, name: string, since: number): string | undefined {
  const path = join(folder, name)
  return writtenAt(path) >= since && isFile(path) ? path : undefined
}
