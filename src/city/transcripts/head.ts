import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { turnText } from './blocks.ts'
import type { Native } from './entry.ts'
import { isObject, parsed } from './json.ts'
import type { Grammar } from './jsonl-log.ts'

/** So much of a file is looked at to know whose log it is. */
const HEAD = 1024 * 1024

/** The beginning of a file; empty when there is none. */
export function headOf(path: string, most = HEAD): string {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const bytes = Buffer.alloc(Math.min(most, statSync(path).size))
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0))
  } catch {
    return ''
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** What a person said first in a log. */
export function firstWords(path: string, grammar: Grammar): string {
  const natives = nativesOf(headOf(path))
  const first = grammar.view(natives).entries.find(({ role, turn }) => role === 'user' && turn === 'in-turn')
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

/** Files of a folder that were made since a moment, newest first. */
export function madeSince(folder: string, fits: RegExp, since: number): string[] {
  const files = namesIn(folder).flatMap((name) => {
    if (!fits.test(name)) return []
    const path = join(folder, name)
    const found = statSync(path, { throwIfNoEntry: false })
    const made = found?.birthtimeMs || found?.ctimeMs || 0
    return made >= since ? [{ path, made }] : []
  })
  return files.sort((a, b) => b.made - a.made).map(({ path }) => path)
}
