import { existsSync, type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import type { LogReader } from '../entries/log-reader.ts'

/** What is written in quick succession is read at once. */
const SETTLE_MS = 150

/** Tells when files change, or folders get a file, also those that are not there yet. Each folder is watched once. */
export class Watch {
  readonly #folders = new Map<string, Folder>()

  constructor(private readonly deadlines: Deadlines) {}

  /** Hears that something at one of these paths may have changed; returns how to stop. */
  follow(paths: readonly string[], hear: () => void): () => void {
    const stops = paths.map((path) => this.#follow(path, hear))
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** Hears that there may be more to read of a log. */
  reader(reader: Pick<LogReader, 'files' | 'subscribe'>, hear: () => void): () => void {
    const stops = [this.follow(reader.files, hear), reader.subscribe?.(hear) ?? (() => {})]
    return () => {
      for (const stop of stops) stop()
    }
  }

  close(): void {
    for (const folder of this.#folders.values()) folder.close()
    this.#folders.clear()
  }

  #follow(path: string, hear: () => void): () => void {
    let due: Deadline | undefined
    let stopped = false
    let leave = () => {}
    const changed = () => {
      due ??= this.deadlines.after(SETTLE_MS, () => {
        due = undefined
        leave()
        leave = this.#join(path, changed)
        if (!stopped) hear()
      })
    }
    leave = this.#join(path, changed)
    return () => {
      stopped = true
      due?.cancel()
      leave()
    }
  }

  /** Listens where the path is, or at the nearest folder in which it would come about. */
  #join(path: string, changed: () => void): () => void {
    let name = basename(path)
    let at = dirname(path)
    while (!existsSync(at) && dirname(at) !== at) {
      name = basename(at)
      at = dirname(at)
    }
    const leaveParent = this.#listen(at, (found) => (found === null || found === name) && changed())
    const inside = at === dirname(path) && isFolder(path) ? this.#listen(path, changed) : () => {}
    return () => {
      leaveParent()
      inside()
    }
  }

  #listen(folder: string, hear: (name: string | null) => void): () => void {
    const known = this.#folders.get(folder) ?? new Folder(folder)
    this.#folders.set(folder, known)
    known.listeners.add(hear)
    return () => {
      known.listeners.delete(hear)
      if (known.listeners.size > 0 || this.#folders.get(folder) !== known) return
      known.close()
      this.#folders.delete(folder)
    }
  }
}

const isFolder = (path: string): boolean => existsSync(`${path}/.`)

class Folder {
  readonly listeners = new Set<(name: string | null) => void>()
  readonly #watcher: FSWatcher | undefined

  constructor(path: string) {
    try {
      this.#watcher = watch(path, { persistent: false }, (_, name) => this.#tell(name))
      this.#watcher.on('error', () => this.#tell(null))
    } catch {
      this.#watcher = undefined
    }
  }

  close(): void {
    this.#watcher?.close()
  }

  #tell(name: string | null): void {
    for (const hear of [...this.listeners]) hear(name)
  }
}
