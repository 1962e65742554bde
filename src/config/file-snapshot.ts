import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { errorMessage } from '../core/errors.ts'
import type { Diagnostic } from './diagnostics.ts'

/** No file of a configuration is larger. */
const MOST_BYTES = 4 * 1024 * 1024

const absent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

/**
 * A city's files as they were when they were asked for, so that what was read once is what everything was made of.
 * Drafts stand in for files that are about to be written.
 */
export class FileSnapshot {
  readonly #texts = new Map<string, string | undefined>()
  readonly #folders = new Map<string, string[]>()
  /** Files that are there and cannot be read. */
  readonly unreadable: Diagnostic[] = []

  constructor(
    readonly path: string,
    private readonly drafts: ReadonlyMap<string, string | undefined> = new Map(),
  ) {}

  /** The text of a file, named from the city; undefined when there is none. */
  text(file: string): string | undefined {
    if (this.drafts.has(file)) return this.drafts.get(file)
    if (!this.#texts.has(file)) this.#texts.set(file, this.#read(file))
    return this.#texts.get(file)
  }

  /** The folders in a folder, in order of their names. */
  folders(folder: string): string[] {
    const known = this.#folders.get(folder) ?? this.#list(folder)
    this.#folders.set(folder, known)
    const drafted = [...this.drafts].filter(([file, text]) => file.startsWith(`${folder}/`) && text !== undefined)
    const names = drafted.map(([file]) => file.slice(folder.length + 1).split('/')[0] ?? '')
    return [...new Set([...known, ...names])].sort()
  }

  /** The files that were asked for, there or not. */
  get files(): string[] {
    return [...this.#texts.keys()]
  }

  /** Whether the same was asked for and is still the same. */
  equals(other: FileSnapshot): boolean {
    return (
      this.#texts.size === other.#texts.size &&
      [...this.#texts].every(([file, text]) => other.#texts.has(file) && other.#texts.get(file) === text) &&
      [...this.#folders].every(([folder, names]) => other.#folders.get(folder)?.join('/') === names.join('/'))
    )
  }

  #read(file: string): string | undefined {
    const at = resolve(this.path, file)
    try {
      if (statSync(at).size > MOST_BYTES) throw new RangeError(`is larger than ${MOST_BYTES / 1024 / 1024} MB`)
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(at))
    } catch (error) {
      if (absent(error)) return undefined
      const message = error instanceof TypeError ? 'is not UTF-8 text' : errorMessage(error)
      this.unreadable.push({ file, line: 1, key: '', message })
      return undefined
    }
  }

  #list(folder: string): string[] {
    try {
      return readdirSync(join(this.path, folder), { withFileTypes: true })
        .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !/^[._]/.test(entry.name))
        .map((entry) => entry.name)
    } catch (error) {
      if (!absent(error)) this.unreadable.push({ file: folder, line: 1, key: '', message: errorMessage(error) })
      return []
    }
  }
}
