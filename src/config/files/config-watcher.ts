import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import { AGENTS_FOLDER, CITY_FILE, SITE_FILE } from './file-names.ts'
import type { FileSnapshot } from './file-snapshot.ts'

/** Editors write in several steps; their files are read once they are done. */
const SETTLE_MS = 100

/**
 * Notices when the files of a configuration may have changed. Folders are watched rather than files, since editors put
 * new files in place of old ones; only `.gc`, where the database is always busy, is watched file by file.
 */
export class ConfigWatcher {
  readonly #watchers = new Map<string, FSWatcher>()
  /** What matters in the city's folder itself, where agents may be at work on other files. */
  #names = new Set<string>([CITY_FILE, AGENTS_FOLDER])
  #deadline: Deadline | undefined

  constructor(
    private readonly path: string,
    private readonly deadlines: Deadlines,
    private readonly onChange: () => void,
    private readonly report: (message: string) => void,
  ) {}

  /** Watches exactly the folders that a snapshot was read from. */
  follow(snapshot: FileSnapshot): void {
    const site = resolve(this.path, SITE_FILE)
    const agents = resolve(this.path, AGENTS_FOLDER)
    const watched = new Set([this.path, agents, site])
    this.#names = new Set([CITY_FILE, AGENTS_FOLDER, ...snapshot.city.files])
    for (const folder of snapshot.city.folders(AGENTS_FOLDER)) watched.add(resolve(agents, folder))
    for (const { path, files } of snapshot.roots) {
      for (const file of files) {
        const folder = dirname(resolve(path, file))
        if (folder !== dirname(site)) watched.add(folder)
      }
    }
    this.#unwatch(site)
    for (const path of this.#watchers.keys()) if (!watched.has(path)) this.#unwatch(path)
    for (const path of watched) this.#watch(path)
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
      const reason = errorMessage(error)
      if (!/ENOENT|ENOTDIR/.test(reason)) this.report(`${path} cannot be watched, reload by hand: ${reason}`)
    }
  }

  #unwatch(path: string): void {
    this.#watchers.get(path)?.close()
    this.#watchers.delete(path)
  }

  #schedule(path: string, name: string | null): void {
    if (path === this.path && name !== null && !this.#names.has(name)) return
    if (name !== null && basename(name).startsWith('.')) return
    this.#deadline?.cancel()
    this.#deadline = this.deadlines.after(SETTLE_MS, this.onChange)
  }
}
