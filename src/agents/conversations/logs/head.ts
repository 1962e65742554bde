import { lstatSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { turnText } from '../entries/blocks.ts'
import { isObject, parseJson } from '../entries/json.ts'
import type { LogRecord } from '../entries/log-reader.ts'
import { runSync } from '../entries/steps.ts'
import { withFile } from './files.ts'
import type { LogParser } from './jsonl-log.ts'

/** So much of a file is looked at to know whose log it is. */
const HEAD_BYTES = 1024 * 1024

/** The beginning of a file; empty when there is none. */
export const readHead = (path: string, most = HEAD_BYTES): string =>
  withFile(path, (file, size) => {
    const bytes = Buffer.alloc(Math.min(most, size))
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0))
  }) ?? ''

/** What a person said first in a log. */
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

/** The names in a folder; none when it is not there. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Plain files of a folder that were made since a moment, newest first. */
export function filesCreatedSince(folder: string, fits: RegExp, since: number): string[] {
  const files = listNames(folder).flatMap((name) => {
    if (!fits.test(name)) return []
    const path = join(folder, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    const made = found?.birthtimeMs || found?.ctimeMs || 0
    return found?.isFile() && made >= since ? [{ path, made }] : []
  })
  return files.sort((a, b) => b.made - a.made).map(({ path }) => path)
}
