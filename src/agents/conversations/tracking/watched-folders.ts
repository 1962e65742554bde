/** The names that changed, by folder; undefined when any may have. */
export type Changes = ReadonlyMap<string, ReadonlySet<string> | undefined>

type WatchFolder = (path: string, listener: (names: ReadonlySet<string> | undefined) => void) => () => void

/** Folders in which the logs of one session appear, and what changed in them. */
export class WatchedFolders {
  readonly #watched = new Map<string, () => void>()
  #changes = new Map<string, ReadonlySet<string> | undefined>()

  constructor(
    private readonly watchFolder: WatchFolder,
    private readonly onChange: () => void,
  ) {}

  get paths(): string[] {
    return [...this.#watched.keys()]
  }

  /** What changed since this was called last. */
  takeChanges(): Changes {
    const changes = this.#changes
    this.#changes = new Map()
    return changes
  }

  /** Watches these folders and no others, and returns those that were not watched before. */
  watch(paths: readonly string[]): string[] {
    const wanted = new Set(paths)
    for (const [path, unwatch] of this.#watched) {
      if (wanted.has(path)) continue
      unwatch()
      this.#watched.delete(path)
    }
    const added = [...wanted].filter((path) => !this.#watched.has(path))
    for (const path of added) {
      const unwatch = this.watchFolder(path, (names) => this.#add(path, names))
      this.#watched.set(path, unwatch)
    }
    return added
  }

  close(): void {
    this.watch([])
  }

  #add(path: string, names: ReadonlySet<string> | undefined): void {
    const before = this.#changes.get(path)
    const isAny = names === undefined || (this.#changes.has(path) && before === undefined)
    this.#changes.set(path, isAny ? undefined : new Set([...(before ?? []), ...names]))
    this.onChange()
  }
}
