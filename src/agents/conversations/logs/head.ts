import { lstatSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { turnText } from '../entries/blocks.ts'
import { isObject, parsed } from '../entries/json.ts'
import type { Native } from '../entries/log-reader.ts'
import { atOnce } from '../entries/slices.ts'
import { withFile } from './files.ts'
import type { Grammar } from './jsonl-log.ts'

/** So much of a file is looked at to know whose log it is. */
const HEAD = 1024 * 1024

/** The beginning of a file; empty when there is none. */
export const headOf = (path: string, most = HEAD): string =>
  withFile(path, (file, size) => {
    const bytes = Buffer.alloc(Math.min(most, size))
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0))
  }) ?? ''

/** What a person said first in a log. */
export function firstWords(path: string, grammar: Grammar): string {
  const natives = nativesOf(headOf(path))
  const first = atOnce(grammar.view(natives)).entries.find(({ role, turn }) => role === 'user' && turn === 'in-turn')
  return first ? turnText(first.blocks()) : ''
}

function nativesOf(head: string): Native[] {
  const document = parsed(head)
  if (isObject(document) && Array.isArray(document.messages)) return toNatives(document.messages)
  return toNatives(head.split('\n').map(parsed))
}

const toNatives = (values: readonly unknown[]): Native[] =>
  values.flatMap((value, offset) => (isObject(value) ? [{ offset, size: 0, value }] : []))

/** The names in a folder; none when it is not there. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Plain files of a folder that were made since a moment, newest first. */
export function madeSince(folder: string, fits: RegExp, since: number): string[] {
  const files = namesIn(folder).flatMap((name) => {
    if (!fits.test(name)) return []
    const path = join(folder, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    const made = found?.birthtimeMs || found?.ctimeMs || 0
    return found?.isFile() && made >= since ? [{ path, made }] : []
  })
  return files.sort((a, b) => b.made - a.made).map(({ path }) => path)
}
