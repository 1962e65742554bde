import { readdirSync, type Stats, statSync } from 'node:fs'
import { readSmallFile } from '../../core/plain-file.ts'
import { parseToml, TomlSyntaxError, type TomlTable } from '../../core/toml/index.ts'

const MAX_FILE_BYTES = 4 * 1024 * 1024
/** A file that was changed this shortly before it was read may change again without a trace in its times. */
const SETTLED_MS = 2000

/** A TOML file as it was parsed, or why it cannot be. */
export type ParsedFile = { readonly table: TomlTable } | { readonly error: TomlSyntaxError }

/** The text of a file, and what was made of it. */
export class CachedFile {
  #parsed: ParsedFile | undefined

  constructor(
    readonly text: string,
    private readonly stamp: string,
    /** An earlier reading of the same text. */
    earlier?: CachedFile,
  ) {
    if (earlier) this.#parsed = earlier.#parsed
  }

  get parsed(): ParsedFile {
    this.#parsed ??= parse(this.text)
    return this.#parsed
  }

  isOf(stats: Stats): boolean {
    return this.stamp !== '' && this.stamp === stampOf(stats)
  }
}

/** Entries of a folder, unordered. */
export interface FolderEntry {
  readonly name: string
  /** True if it is a folder; a link is neither. */
  readonly isFolder: boolean
  readonly isLink: boolean
}

interface CachedFolder {
  readonly stamp: string
  readonly entries: readonly FolderEntry[]
}

/** Keeps the files of a configuration between its readings, so that only changed ones are read and parsed again. */
export class FileCache {
  readonly #files = new Map<string, CachedFile>()
  readonly #folders = new Map<string, CachedFolder>()

  /** Reads nothing. */
  static readonly nothing = new FileCache({ isEmpty: true })

  constructor(private readonly options: { readonly isEmpty?: boolean } = {}) {}

  /** A file; undefined when there is none. Throws when it cannot be read as text. */
  read(path: string): CachedFile | undefined {
    if (this.options.isEmpty) return undefined
    const stats = statSync(path, { throwIfNoEntry: false })
    const cached = this.#files.get(path)
    if (!stats) {
      this.#files.delete(path)
      return undefined
    }
    if (cached?.isOf(stats)) return cached
    const bytes = readSmallFile(path, MAX_FILE_BYTES)
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const file = new CachedFile(text, stampOf(stats), cached?.text === text ? cached : undefined)
    this.#files.set(path, file)
    return file
  }

  /** Entries of a folder; undefined without one. */
  list(path: string): readonly FolderEntry[] | undefined {
    if (this.options.isEmpty) return undefined
    const stats = statSync(path, { throwIfNoEntry: false })
    const stamp = stats?.isDirectory() ? stampOf(stats) : undefined
    if (stamp === undefined) {
      this.#folders.delete(path)
      return undefined
    }
    const cached = this.#folders.get(path)
    if (cached && stamp !== '' && cached.stamp === stamp) return cached.entries
    const entries = readdirSync(path, { withFileTypes: true }).map((entry) => ({
      ...{ name: entry.name, isFolder: entry.isDirectory(), isLink: entry.isSymbolicLink() },
    }))
    this.#folders.set(path, { stamp, entries })
    return entries
  }
}

/** Fingerprint of a file's state; empty if it has none. */
export function stampOf({ ino, size, ctimeMs, mtimeMs }: Stats): string {
  const changed = Math.max(ctimeMs, mtimeMs)
  return Date.now() - changed < SETTLED_MS ? '' : `${ino}:${size}:${ctimeMs}:${mtimeMs}`
}

function parse(text: string): ParsedFile {
  try {
    return { table: parseToml(text) }
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error
    return { error }
  }
}
