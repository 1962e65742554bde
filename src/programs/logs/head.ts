import { lstatSync, readdirSync, readSync } from 'node:fs'
import { isObject, parseJson, runSync, turnText } from '../entries/index.ts'
import { withFile } from './files.ts'
import type { LogParser } from './jsonl-log.ts'
import type { LogRecord } from './log-reader.ts'

/** Bytes of a file read to identify its owner. */
const HEAD_BYTES = 1024 * 1024

/** The beginning of a file; empty when it does not exist. */
export const readHead = (path: string, maxBytes = HEAD_BYTES): string =>
  withFile(path, (file, size) => {
    const bytes = Buffer.alloc(Math.min(maxBytes, size))
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0))
  }) ?? ''

/** The first prompt of a user in a log. */
export function firstPrompt(path: string, parser: LogParser): string {
  const records = recordsOf(readHead(path))
  const first = runSync(parser.parse(records)).entries.find(({ role, turn }) => role === 'user' && turn === 'in-turn')
  return first ? turnText(first.blocks()) : ''
}

function recordsOf(head: string): LogRecord[] {
  const document = parseJson(head)
  if (isObject(document) && Array.isArray(document.messages)) return toRecords(document.messages)
  return toRecords(head.split('\n').map(parseJson))
}

const toRecords = (values: readonly unknown[]): LogRecord[] =>
  values.flatMap((value, offset) => (isObject(value) ? [{ offset, size: 0, value }] : []))

/** The names in a folder; none when it does not exist. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Creation time of a regular file; 0 if it does not exist. */
export function createdAt(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() ? stats.birthtimeMs || stats.ctimeMs : 0
}

/** Last write of a regular file; 0 if it does not exist. */
export function writtenAt(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() ? stats.mtimeMs : 0
}

/** The size of a regular file; 0 when it does not exist. */
export function sizeOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() ? stats.size : 0
}
