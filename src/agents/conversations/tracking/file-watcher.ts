import { existsSync, type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import type { LogReader } from '../entries/log-reader.ts'

/** Changes in quick succession are one notification. */
const SETTLE_MS = 150

/** Watches files and folders, also those that do not exist yet. Each folder is watched once. */
export class FileWatcher {
  readonly #folders = new Map<string, WatchedFolder>()

  constructor(private readonly deadlines: Deadlines) {}

  /** Calls the listener when something at one of these paths may have changed; returns the unsubscribe function. */
  watch(paths: readonly string[], listener: () => void): () => void {
    const unsubscribes = paths.map((path) => this.#watchPath(path, listener))
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
  }

  /** Calls the listener when there may be more to read of a log. */
  watchLog(reader: Pick<LogReader, 'files' | 'subscribe'>, listener: () => void): () => void {
    const unsubscribes = [this.watch(reader.files, listener), reader.subscribe?.(listener) ?? (() => {})]
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
  }

  close(): void {
    for (const folder of this.#folders.values()) folder.close()
    this.#folders.clear()
  }

  #watchPath(path: string, listener: () => void): () => void {
    let timer: Deadline | undefined
    let isStopped = false
    let detach = () => {}
    const onChange = () => {
      timer ??= this.deadlines.after(SETTLE_MS, () => {
        timer = undefined
        detach()
        detach = this.#attach(path, onChange)
        if (!isStopped) listener()
      })
    }
    detach = this.#attach(path, onChange)
    return () => {
      isStopped = true
      timer?.cancel()
      detach()
    }
  }

  /** Watches the folder of a path, or the nearest existing folder above it, and the path itself when it is a folder. */
  #attach(path: string, onChange: () => void): () => void {
    let name = basename(path)
    let folder = dirname(path)
    while (!existsSync(folder) && dirname(folder) !== folder) {
      name = basename(folder)
      folder = dirname(folder)
    }
    const leaveParent = this.#subscribe(folder, (changed) => (changed === null || changed === name) && onChange())
    const leaveFolder = folder === dirname(path) && isFolder(path) ? this.#subscribe(path, onChange) : () => {}
    return () => {
      leaveParent()
      leaveFolder()
    }
  }

  #subscribe(path: string, listener: (name: string | null) => void): () => void {
    const folder = this.#folders.get(path) ?? new WatchedFolder(path)
    this.#folders.set(path, folder)
    folder.listeners.add(listener)
    return () => {
      folder.listeners.delete(listener)
      if (folder.listeners.size > 0 || this.#folders.get(path) !== folder) return
      folder.close()
      this.#folders.delete(path)
    }
  }
}

const isFolder = (path: string): boolean => existsSync(`${path}/.`)

class WatchedFolder {
  readonly listeners = new Set<(name: string | null) => void>()
  readonly #watcher: FSWatcher | undefined

  constructor(path: string) {
    try {
      this.#watcher = watch(path, { persistent: false }, (_, name) => this.#notify(name))
      this.#watcher.on('error', () => this.#notify(null))
    } catch {
      this.#watcher = undefined
    }
  }

  close(): void {
    this.#watcher?.close()
  }

  #notify(name: string | null): void {
    for (const listener of [...this.listeners]) listener(name)
  }
}
