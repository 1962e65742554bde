import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { errorMessage, hasCode } from '../../core/errors.ts'
import { SITE_FILE } from './file-names.ts'
import type { ReadRoot } from './file-stamps.ts'

/** Editors write in several steps; their files are read once they are done. */
const SETTLE_MS = 100

/**
 * Notices when the files of a configuration may have changed. Folders are watched rather than files, since editors put
 * new files in place of old ones; only `.gc`, where the database is always busy, is watched file by file. In each folder
 * only the names matter that were asked for, since agents may be at work on others.
 */
export class ConfigWatcher {
  readonly #watchers = new Map<string, FSWatcher>()
  #folders: ReadonlyMap<string, FolderNames> = new Map()
  #deadline: Deadline | undefined

  constructor(
    private readonly path: string,
    private readonly deadlines: Deadlines,
    private readonly onChange: () => void,
    private readonly report: (message: string) => void,
    /** Folders in which nothing ever changes. */
    private readonly unchanging: readonly string[] = [],
  ) {}

  /** Watches exactly the folders that a snapshot was read from. */
  follow(snapshot: ReadFiles): void {
    const site = resolve(this.path, SITE_FILE)
    const folders = readFolders(snapshot)
    folders.delete(dirname(site))
    folders.set(site, 'all')
    for (const path of folders.keys()) if (this.#isUnchanging(path)) folders.delete(path)
    this.#folders = folders
    this.#unwatch(site)
    for (const path of this.#watchers.keys()) if (!folders.has(path)) this.#unwatch(path)
    for (const path of folders.keys()) this.#watch(path)
  }

  close(): void {
    this.#deadline?.cancel()
    for (const path of [...this.#watchers.keys()]) this.#unwatch(path)
  }

  #watch(path: string): void {
    if (this.#watchers.has(path)) return
    try {
      const watcher = watch(path, { persistent: false }, (_, name) => this.#schedule(path, name))
      watcher.on('error', () => this.#unwatch(path))
      this.#watchers.set(path, watcher)
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return
      this.report(`${path} cannot be watched; run gc reload after changes: ${errorMessage(error)}`)
    }
  }

  #unwatch(path: string): void {
    this.#watchers.get(path)?.close()
    this.#watchers.delete(path)
  }

  #isUnchanging(path: string): boolean {
    return this.unchanging.some((folder) => path.startsWith(`${folder}/`))
  }

  #schedule(path: string, name: string | null): void {
    const names = this.#folders.get(path)
    if (name !== null && names !== 'all' && !names?.has(name)) return
    if (name !== null && basename(name).startsWith('.')) return
    this.#deadline?.cancel()
    this.#deadline = this.deadlines.after(SETTLE_MS, this.onChange)
  }
}

/** The files and folders that a configuration was read from. */
type ReadFiles = { readonly roots: readonly ReadRoot[] }

/** The names that matter in a folder. */
type FolderNames = Set<string> | 'all'

/** The folders that a snapshot was read from: those of its files, and those that were listed, with their parents. */
function readFolders({ roots }: ReadFiles): Map<string, FolderNames> {
  const folders = new Map<string, FolderNames>()
  const note = (path: string) => {
    const names = folders.get(dirname(path))
    if (names === undefined) folders.set(dirname(path), new Set([basename(path)]))
    else if (names !== 'all') names.add(basename(path))
  }
  for (const root of roots) {
    for (const file of root.files) note(resolve(root.path, file))
    for (const { folder, exists } of root.listed) {
      const path = resolve(root.path, folder)
      note(path)
      if (exists) folders.set(path, 'all')
    }
  }
  return folders
}
