import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Deadline, Deadlines } from '../core/deadlines.ts'
import { errorMessage } from '../core/errors.ts'
import { CITY_FILE, SITE_FILE } from './resolve/compose.ts'

/** Editors write in several steps; what they wrote is read once they are done. */
const SETTLE_MS = 100

/**
 * Tells when the files of a configuration may have changed. Folders are watched rather than files, since editors put
 * new files in place of old ones; only `.gc`, where the database is always at work, is looked at file by file.
 */
export class ConfigWatcher {
  readonly #watchers = new Map<string, FSWatcher>()
  #deadline: Deadline | undefined

  constructor(
    private readonly path: string,
    private readonly deadlines: Deadlines,
    private readonly tell: () => void,
    private readonly report: (message: string) => void,
  ) {}

  /** Watches exactly what these files need. */
  follow(files: readonly string[], agentFolders: readonly string[]): void {
    const site = resolve(this.path, SITE_FILE)
    const wanted = new Set([this.path, resolve(this.path, 'agents'), site])
    for (const folder of agentFolders) wanted.add(resolve(this.path, 'agents', folder))
    for (const file of files) {
      const folder = dirname(resolve(this.path, file))
      if (folder !== dirname(site)) wanted.add(folder)
    }
    this.#drop(site)
    for (const at of this.#watchers.keys()) if (!wanted.has(at)) this.#drop(at)
    for (const at of wanted) this.#watch(at)
  }

  close(): void {
    this.#deadline?.cancel()
    for (const at of [...this.#watchers.keys()]) this.#drop(at)
  }

  #watch(at: string): void {
    if (this.#watchers.has(at)) return
    try {
      const watcher = watch(at, { persistent: false }, (_, name) => this.#hear(at, name))
      watcher.on('error', () => this.#drop(at))
      this.#watchers.set(at, watcher)
    } catch (error) {
      const reason = errorMessage(error)
      if (!/ENOENT|ENOTDIR/.test(reason)) this.report(`${at} cannot be watched, reload by hand: ${reason}`)
    }
  }

  #drop(at: string): void {
    this.#watchers.get(at)?.close()
    this.#watchers.delete(at)
  }

  #hear(at: string, name: string | null): void {
    if (at === this.path && name !== null && name !== CITY_FILE && name !== 'agents') return
    if (name !== null && basename(name).startsWith('.')) return
    this.#deadline?.cancel()
    this.#deadline = this.deadlines.after(SETTLE_MS, this.tell)
  }
}
