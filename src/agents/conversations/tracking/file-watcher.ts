import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import { Signal, unsubscriber } from '../../../core/signal.ts'
import type { LogReader } from '../../../programs/logs/index.ts'

/** Changes in quick succession are one notification. */
const SETTLE_MS = 150

/** Watches files and folders, also those that do not exist yet. Each folder is watched once. */
export class FileWatcher {
  readonly #folders = new Map<string, WatchedFolder>()

  constructor(private readonly deadlines: Deadlines) {}

  /** Calls the listener when something at one of these paths may have changed; returns the unsubscribe function. */
  watch(paths: readonly string[], listener: () => void): () => void {
    return unsubscriber(...paths.map((path) => this.#watchPath(path, listener)))
  }

  /** Calls the listener when there may be more to read of a log. */
  watchLog(reader: Pick<LogReader, 'files' | 'subscribe'>, listener: () => void): () => void {
    return unsubscriber(this.watch(reader.files, listener), reader.subscribe?.(listener) ?? (() => {}))
  }

  /**
   * Calls the listener with the names that changed in a folder, also one that does not exist yet; with undefined when
   * any of them may have.
   */
  watchFolder(path: string, listener: (names: ReadonlySet<string> | undefined) => void): () => void {
    let names: Set<string> | undefined = new Set()
    let timer: Deadline | undefined
    let detach = () => {}
    const onChange = (name: string | null) => {
      if (name === null) names = undefined
      else names?.add(name)
      timer ??= this.deadlines.after(SETTLE_MS, () => {
        timer = undefined
        const changed = names
        names = new Set()
        if (changed === undefined) attach()
        listener(changed)
      })
    }
    const attach = () => {
      const leave = detach
      detach = this.#attach(path, () => onChange(null), onChange)
      leave()
    }
    attach()
    return () => {
      timer?.cancel()
      detach()
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
  #attach(path: string, onChange: () => void, onChild: (name: string | null) => void = onChange): () => void {
    let name = basename(path)
    let folder = dirname(path)
    while (!existsSync(folder) && dirname(folder) !== folder) {
      name = basename(folder)
      folder = dirname(folder)
    }
    const leaveParent = this.#subscribe(folder, (changed) => (changed === null || changed === name) && onChange())
    const leaveFolder = folder === dirname(path) && isFolder(path) ? this.#subscribe(path, onChild) : () => {}
    return unsubscriber(leaveParent, leaveFolder)
  }

  #subscribe(path: string, listener: (name: string | null) => void): () => void {
    const folder = this.#folders.get(path) ?? new WatchedFolder(path)
    this.#folders.set(path, folder)
    folder.renew()
    const unsubscribe = folder.changed.listen(listener)
    return () => {
      unsubscribe()
      if (folder.changed.hasListeners || this.#folders.get(path) !== folder) return
      folder.close()
      this.#folders.delete(path)
    }
  }
}

const isFolder = (path: string): boolean => existsSync(`${path}/.`)

class WatchedFolder {
  readonly changed = new Signal<[name: string | null]>()
  #watcher: FSWatcher | undefined
  #inode: number | undefined

  constructor(private readonly path: string) {}

  /** Watches the folder that has this path now: another may have had it before. */
  renew(): void {
    const inode = statSync(this.path, { throwIfNoEntry: false })?.ino
    if (this.#watcher && inode === this.#inode) return
    this.close()
    this.#inode = inode
    try {
      this.#watcher = watch(this.path, { persistent: false }, (_, name) => this.changed.emit(name))
      this.#watcher.on('error', () => this.changed.emit(null))
    } catch {
      this.#watcher = undefined
    }
  }

  close(): void {
    this.#watcher?.close()
  }
}
