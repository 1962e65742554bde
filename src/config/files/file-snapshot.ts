import { basename, dirname, isAbsolute, relative, resolve } from 'node:path'
import { errorMessage, hasCode } from '../../core/errors.ts'
import { CachedFile, FileCache, type FolderEntry, type ParsedFile } from './file-cache.ts'

/** New texts by file, named from the city; undefined deletes the file. */
export type Drafts = ReadonlyMap<string, string | undefined>

/** A file or folder that exists and cannot be read. */
export interface UnreadableFile {
  readonly file: string
  readonly message: string
}

/**
 * The files of a configuration as they were when they were first read, so that everything is made of one state of the
 * disk. Each root is a folder: the city's, and that of whatever else declares something.
 */
export class FileSnapshot {
  readonly city: RootSnapshot
  readonly #roots = new Map<string, RootSnapshot>()

  /** Drafts are in for files of the city that are about to be written. */
  constructor(
    path: string,
    drafts: Drafts = new Map(),
    private readonly cache = new FileCache(),
  ) {
    this.city = new RootSnapshot(path, cache, drafts)
    this.#roots.set(path, this.city)
  }

  /** The files of the folder at an absolute path. */
  root(path: string): RootSnapshot {
    const root = this.#roots.get(path) ?? new RootSnapshot(path, this.cache)
    this.#roots.set(path, root)
    return root
  }

  /** Everything that was read, to be kept. */
  toStored(): StoredRoot[] {
    return this.roots.map((root) => root.toStored(this.city.path))
  }

  /** Files as they were kept; what was not read then is not there. */
  static ofStored(city: string, roots: readonly StoredRoot[]): FileSnapshot {
    const snapshot = new FileSnapshot(city, new Map(), FileCache.nothing)
    for (const root of roots) snapshot.root(resolve(city, root.path)).restore(root)
    return snapshot
  }

  get roots(): readonly RootSnapshot[] {
    return [...this.#roots.values()]
  }

  /** Reads the same files and folders from disk again; undefined when one of them differs. */
  readAgain(): FileSnapshot | undefined {
    const again = new FileSnapshot(this.city.path, new Map(), this.cache)
    return this.roots.every((root) => root.isSameIn(again.root(root.path))) ? again : undefined
  }

  /** True if the same files were read and hold the same. */
  equals(other: FileSnapshot): boolean {
    const { roots } = this
    return roots.length === other.roots.length && roots.every((root) => root.equals(other.#asRead(root.path)))
  }

  /** The files that differ, named from the city; sorted. */
  differences(other: FileSnapshot): string[] {
    const paths = new Set([...this.roots, ...other.roots].map(({ path }) => path))
    const files = [...paths].flatMap((path) => {
      const [root, otherRoot] = [this.#asRead(path), other.#asRead(path)]
      return root.differences(otherRoot).map((file) => relative(this.city.path, resolve(path, file)))
    })
    return [...new Set(files)].sort()
  }

  /** Entries read from a folder, not counted as read by the caller. */
  #asRead(path: string): RootSnapshot {
    return this.#roots.get(path) ?? new RootSnapshot(path, this.cache)
  }
}

/** Files read below a folder, as JSON. */
export interface StoredRoot {
  /** From the city, if it lies in it. */
  readonly path: string
  readonly files: readonly (readonly [file: string, text: string | null])[]
  readonly folders: readonly (readonly [folder: string, names: readonly string[]])[]
}

/** The files of one folder. */
export class RootSnapshot {
  readonly #files = new Map<string, CachedFile | undefined>()
  readonly #folders = new Map<string, string[]>()
  readonly #absent = new Set<string>()
  readonly unreadable: UnreadableFile[] = []

  constructor(
    readonly path: string,
    private readonly cache: FileCache,
    private readonly drafts: Drafts = new Map(),
  ) {}

  /** The text of a file, named from the root; undefined when there is none. */
  text(file: string): string | undefined {
    return this.#file(this.#nameOf(file))?.text
  }

  /** Reason a file that is there cannot be read. */
  problemOf(file: string): string | undefined {
    const name = this.#nameOf(file)
    return this.unreadable.find((each) => each.file === name)?.message
  }

  /** A file as TOML; undefined when there is none. */
  toml(file: string): ParsedFile | undefined {
    return this.#file(this.#nameOf(file))?.parsed
  }

  /** The folders in a folder, in order of their names. */
  folders(path: string): string[] {
    const folder = this.#nameOf(path)
    const listed =
      this.#folders.get(folder) ?? this.#list(folder, isFolder).filter((name) => !this.#isEmptied(`${folder}/${name}`))
    this.#folders.set(folder, listed)
    const drafted = [...this.drafts].filter(([file, text]) => file.startsWith(`${folder}/`) && text !== undefined)
    const names = drafted.map(([file]) => file.slice(folder.length + 1).split('/')[0] ?? '')
    return [...new Set([...listed, ...names])].sort()
  }

  /** The files in a folder, in the order of their bytes. */
  fileNames(folder: string): readonly string[] {
    const key = `${this.#nameOf(folder)}/`
    const listed = this.#folders.get(key) ?? this.#list(key.slice(0, -1), (entry) => !entry.isFolder)
    this.#folders.set(key, listed)
    return listed.toSorted()
  }

  /** The files that were asked for, whether or not they exist. */
  get files(): string[] {
    return [...this.#files.keys()]
  }

  /** The folders that were listed, whether or not they exist. */
  get listed(): { folder: string; exists: boolean }[] {
    const folders = new Set([...this.#folders.keys()].map((key) => key.replace(/\/$/, '')))
    return [...folders].map((folder) => ({ folder, exists: !this.#absent.has(folder) }))
  }

  toStored(city: string): StoredRoot {
    const path = relative(city, this.path)
    return {
      path: path.startsWith('..') || isAbsolute(path) ? this.path : path,
      files: [...this.#files].map(([file, read]) => [file, read?.text ?? null]),
      folders: [...this.#folders],
    }
  }

  restore({ files, folders }: StoredRoot): void {
    for (const [file, text] of files) this.#files.set(file, draftOf(text ?? undefined))
    for (const [folder, names] of folders) this.#folders.set(folder, [...names])
  }

  equals(other: RootSnapshot): boolean {
    return (
      this.#files.size === other.#files.size &&
      [...this.#files].every(([file, read]) => other.#files.has(file) && other.#files.get(file)?.text === read?.text) &&
      [...this.#folders].every(([folder, names]) => other.#folders.get(folder)?.join('/') === names.join('/'))
    )
  }

  /** The files whose texts differ; one that was not read is as one that is not there. */
  differences(other: RootSnapshot): string[] {
    const files = new Set([...this.files, ...other.files])
    return [...files].filter((file) => this.#files.get(file)?.text !== other.#files.get(file)?.text)
  }

  /** True if another snapshot, asked for the same files and folders, finds the same. Unreadable files never match. */
  isSameIn(other: RootSnapshot): boolean {
    return (
      [...this.#files].every(([file, read]) => other.text(file) === read?.text) &&
      [...this.#folders.keys()].every((key) => Bun.deepEquals(this.#listing(key), other.#listing(key))) &&
      this.unreadable.length + other.unreadable.length === 0
    )
  }

  #listing(key: string): readonly string[] {
    return key.endsWith('/') ? this.fileNames(key.slice(0, -1)) : this.folders(key)
  }

  /** True if drafts delete every file in a folder, which is removed with the last one. */
  #isEmptied(folder: string): boolean {
    const drafted = [...this.drafts].filter(([file]) => dirname(file) === folder)
    const deleted = new Set(drafted.flatMap(([file, text]) => (text === undefined ? [basename(file)] : [])))
    return deleted.size > 0 && (this.#entries(folder) ?? []).every(({ name }) => deleted.has(name))
  }

  /** Name of a file from the root, also for whole paths. */
  #nameOf(path: string): string {
    return path.startsWith(`${this.path}/`) ? path.slice(this.path.length + 1) : path
  }

  #file(file: string): CachedFile | undefined {
    if (this.#files.has(file)) return this.#files.get(file)
    const read = this.drafts.has(file) ? draftOf(this.drafts.get(file)) : this.#read(file)
    this.#files.set(file, read)
    return read
  }

  #read(file: string): CachedFile | undefined {
    try {
      return this.cache.read(resolve(this.path, file))
    } catch (error) {
      if (isAbsent(error)) return undefined
      this.unreadable.push({ file, message: error instanceof TypeError ? 'is not UTF-8 text' : errorMessage(error) })
      return undefined
    }
  }

  #list(folder: string, isListed: (entry: FolderEntry) => boolean): string[] {
    const entries = this.#entries(folder)
    if (!entries) {
      this.#absent.add(folder)
      return []
    }
    return entries.flatMap((entry) => (isListed(entry) && !/^[._]/.test(entry.name) ? [entry.name] : []))
  }

  #entries(folder: string): readonly FolderEntry[] | undefined {
    try {
      return this.cache.list(resolve(this.path, folder))
    } catch (error) {
      if (!isAbsent(error)) this.unreadable.push({ file: folder, message: errorMessage(error) })
      return isAbsent(error) ? undefined : []
    }
  }
}

const isFolder = (entry: FolderEntry): boolean => entry.isFolder || entry.isLink
const draftOf = (text: string | undefined): CachedFile | undefined =>
  text === undefined ? undefined : new CachedFile(text, '')

const isAbsent = (error: unknown): boolean => hasCode(error, 'ENOENT', 'ENOTDIR')
