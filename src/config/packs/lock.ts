import { AppError } from '../../core/errors.ts'
import { byKey } from '../../core/text/index.ts'
import { parseToml, renderValue, TomlSyntaxError, type TomlTable } from '../../core/toml/index.ts'
import type { FileSnapshot } from '../files/index.ts'

/** The file of a city that says which commit of each repository its packs come from. */
export const LOCK_FILE = 'packs.lock'

const SCHEMA = 1
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** The commit that an import is locked to. */
export interface LockedPack {
  /** The version that was chosen: `1.2.3`, or `sha:<commit>`. */
  readonly version: string
  readonly commit: string
  /** Time of the fetch; empty if the file has none. */
  readonly fetched: string
}

/** The locked packs by their source as written. */
export type PackLock = ReadonlyMap<string, LockedPack>

/** A lock that cannot be used unchanged, and the line that is wrong. */
export class LockError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message)
  }
}

/** Reads a lock; a city without one has locked nothing. Throws {@link LockError}. */
export function parseLock(text: string | undefined): PackLock {
  if (text === undefined) return new Map()
  const root = parseTable(text)
  const schema = root.entries.get('schema')
  if (schema?.kind !== 'integer' || schema.value !== SCHEMA) {
    throw new LockError(
      schema?.line ?? 1,
      `this gc reads packs.lock of schema ${SCHEMA}; write it again with \`gc import upgrade\``,
    )
  }
  const packs = root.entries.get('packs')
  if (packs === undefined) return new Map()
  if (packs.kind !== 'table') throw new LockError(packs.line, 'packs must be a table')
  return new Map([...packs.entries].map(([source, entry]) => [source, parseEntry(source, entry)]))
}

function parseTable(text: string): TomlTable {
  try {
    return parseToml(text)
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error
    throw new LockError(error.line, `is not TOML: ${error.message}`)
  }
}

function parseEntry(source: string, entry: TomlTable | { kind: string; line: number }): LockedPack {
  if (!('entries' in entry)) throw new LockError(entry.line, `the entry of ${source} must be a table`)
  const commit = stringOf(entry, 'commit').toLowerCase()
  if (!COMMIT.test(commit)) throw new LockError(entry.line, `the commit of ${source} must be a whole commit id`)
  return { version: stringOf(entry, 'version') || `sha:${commit}`, commit, fetched: stringOf(entry, 'fetched') }
}

function stringOf(table: TomlTable, key: string): string {
  const node = table.entries.get(key)
  return node?.kind === 'string' || node?.kind === 'date' ? String(node.value) : ''
}

/** The text of a lock, its entries in the order of their sources. */
export function renderLock(lock: PackLock): string {
  const entries = [...lock].sort(byKey)
  const blocks = entries.map(([source, { version, commit, fetched }]) =>
    [
      `[packs.${renderValue(source)}]`,
      `version = ${renderValue(version)}`,
      `commit = ${renderValue(commit)}`,
      ...(fetched ? [`fetched = ${renderValue(fetched)}`] : []),
      '',
    ].join('\n'),
  )
  return [`schema = ${SCHEMA}\n`, ...blocks].join('\n')
}

/** Lock of a source: under its own spelling, else under that of its repository. */
export const lockedPack = (lock: PackLock, source: string, url: string): LockedPack | undefined =>
  lock.get(source) ?? lock.get(url)

/** The lock of a city; throws a sentence for people when it cannot be used. */
export function readLock(files: FileSnapshot): PackLock {
  try {
    return parseLock(files.city.text(LOCK_FILE))
  } catch (error) {
    if (!(error instanceof LockError)) throw error
    throw new AppError('conflict-wrong-state', `${LOCK_FILE}:${error.line}: ${error.message}`)
  }
}

export const isSameLock = (a: PackLock, b: PackLock): boolean =>
  a.size === b.size &&
  [...a].every(([source, { version, commit }]) => {
    const other = b.get(source)
    return other?.version === version && other.commit === commit
  })
