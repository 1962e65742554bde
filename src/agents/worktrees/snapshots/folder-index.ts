import { accessSync, constants, existsSync, lstatSync, rmSync, type Stats } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { gitErrorMessage } from '../../../config/git/index.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import { readPlainFile } from '../../../core/plain-file.ts'
import type { Repository } from '../repository.ts'
import type { LeftOutFile } from './schema.ts'
import type { WorktreeSource } from './source.ts'

const TIMEOUT_MS = 120_000
/** Repositories inside a worktree whose files are stored, and how deep they may lie in each other. */
const MAX_NESTED = 100
const MAX_DEPTH = 5
/** Files that git does not take, after which gc gives up. */
const MAX_FAILURES = 100
/** Changed files of one snapshot hold at most this many times `snapshot_max`. */
const MAX_TOTAL = 20
/** Files that are looked at before other work of gc has a turn. */
const CHUNK = 1000
/** Errors of a disk, not of a file. */
const DISK_FULL = /No space left|Out of diskspace|Disk quota|Read-only file system|Input\/output error/i

/** Git runs here with gc's configuration on a worktree, its own index and a folder. */
export type GitOn = (where: { worktree: string; index: string; isSparse: boolean }) => Repository

export const isDiskFull = (error: unknown): boolean => DISK_FULL.test(errorMessage(error))

export interface FolderState {
  readonly tree: string
  readonly leftOut: readonly LeftOutFile[]
  readonly nested: readonly string[]
}

interface FolderIndexOptions {
  git: GitOn
  /** The folder of the worktree. */
  folder: string
  /** Path of gc's index of it. */
  file: string
  maxFileBytes(): number
  /** Paths in which gc itself wrote. */
  ownFiles(): ReadonlySet<string>
}

/**
 * gc's own index of a worktree. It remembers size and time of each file, so that a look reads only what changed; the index of
 * the session is never written. Paths are bytes, one a character.
 */
export class FolderIndex {
  #head: string | undefined
  #seen: string | undefined
  #state: FolderState | undefined
  readonly #nested = new Set<string>()

  constructor(private readonly options: FolderIndexOptions) {}

  /** The tree of the folder as it is now, of a worktree on a commit that the repository has. */
  async read(source: WorktreeSource, head: string | undefined): Promise<FolderState> {
    await rm(`${this.options.file}.lock`, { force: true })
    try {
      return await this.#read(source, head)
    } catch (error) {
      if (isDiskFull(error)) throw error
      // A power cut can have damaged the index, or a collection its objects: it is made again.
      this.forget()
      return await this.#read(source, head)
    }
  }

  forget(): void {
    this.#head = undefined
    this.#seen = undefined
    this.#state = undefined
    this.#nested.clear()
    rmSync(this.options.file, { force: true })
  }

  async #read(source: WorktreeSource, head: string | undefined): Promise<FolderState> {
    const git = this.#git(source)
    await this.#writeExclude(source)
    const before = head === this.#head ? this.#state : undefined
    const isMoved = before === undefined
    // A failure half-way leaves an index in an unknown state.
    this.#state = undefined
    if (isMoved) await this.#seed(git, head)
    const staged = isMoved || source.index?.version !== this.#seen ? await this.#followIndex(git, source) : []
    const { removed, changed } = await this.#changes(git)
    const { paths, leftOut } = await this.#admit([...changed, ...staged])
    await this.#remove(git, removed)
    const failed = await this.#add(git, paths)
    const nested = [...this.#nested].map(shown)
    const isSame = removed.length + paths.length === 0
    const tree = before && isSame ? before.tree : await git.run('write-tree')
    this.#head = head
    this.#seen = source.index?.version
    this.#state = { tree, leftOut: [...leftOut, ...failed], nested }
    return this.#state
  }

  #git({ isSparse }: Pick<WorktreeSource, 'isSparse'>, folder = this.options.folder, index = this.options.file) {
    return this.options.git({ worktree: folder, index, isSparse })
  }

  get #excludeFile(): string {
    return `${this.options.file}.exclude`
  }

  async #writeExclude({ exclude }: WorktreeSource): Promise<void> {
    const before = readPlainFile(this.#excludeFile, exclude.length)
    if (!before?.equals(exclude)) await writeFile(this.#excludeFile, exclude, { mode: 0o600 })
  }

  /** Takes up the files of a commit; what the index knows of files that stay the same is kept. */
  async #seed(git: Repository, head: string | undefined): Promise<void> {
    this.#nested.clear()
    if (head === undefined) return
    await git.read(['read-tree', ...(existsSync(this.options.file) ? ['-m'] : []), head], { timeout: TIMEOUT_MS })
    await git.execute(['update-index', '-q', '--refresh'], { timeout: TIMEOUT_MS })
    const staged = entriesOf(await this.#list(git, ['ls-files', '-z', '-s']))
    const submodules = staged.flatMap((entry) => (entry.startsWith('160000 ') ? [afterTab(entry)] : []))
    // A submodule that is checked out is stored as the files that it has.
    await this.#remove(
      git,
      submodules.filter((path) => stat(this.#at(`${path}/.git`)) !== undefined),
    )
  }

  /** Does what the session's index says: files that are not checked out stay, ignored files that it added are stored. */
  async #followIndex(git: Repository, source: WorktreeSource): Promise<string[]> {
    if (source.index === undefined) return []
    const theirs = this.#git({ isSparse: false }, this.options.folder, source.index.path)
    if (source.isSparse) await this.#skipAbsent(git, theirs)
    const added = await theirs.execute(['ls-files', '-z', '-c', '-i', '--exclude-standard', ...this.#excludes], LISTING)
    return added.exitCode === 0 ? entriesOf(added.stdout).filter((path) => stat(this.#at(path)) !== undefined) : []
  }

  get #excludes(): string[] {
    return [`--exclude-from=${this.#excludeFile}`]
  }

  async #skipAbsent(git: Repository, theirs: Repository): Promise<void> {
    const tagged = await theirs.execute(['ls-files', '-z', '-t', '-c'], LISTING)
    const skipped = entriesOf(tagged.stdout).flatMap((entry) => (entry.startsWith('S ') ? [entry.slice(2)] : []))
    const own = new Set(entriesOf(await this.#list(git, ['ls-files', '-z', '-c'])))
    const absent = skipped.filter((path) => own.has(path) && stat(this.#at(path)) === undefined)
    if (absent.length > 0) await git.read(['update-index', '-z', '--skip-worktree', '--stdin'], toInput(absent))
  }

  /** Differences from the index: missing, new and changed files, including nested repositories. */
  async #changes(git: Repository): Promise<{ removed: string[]; changed: string[] }> {
    const args = ['ls-files', '-z', '-t', '-o', '-m', '-d', '--exclude-standard', ...this.#excludes]
    const entries = entriesOf(await this.#list(git, args)).map((entry) => [entry.slice(0, 1), entry.slice(2)] as const)
    const removed = new Set(entries.flatMap(([tag, path]) => (tag === 'R' ? [path] : [])))
    const own = this.options.ownFiles()
    const others = entries.flatMap(([, path]) => (removed.has(path) || own.has(path) ? [] : [path]))
    const changed = others.filter((path) => !path.endsWith('/'))
    for (const path of others.filter((each) => each.endsWith('/'))) {
      changed.push(...(await this.#filesOf(path)))
    }
    return { removed: [...removed], changed }
  }

  /** The files of a repository inside the worktree, as `git status` would list them there. */
  async #filesOf(path: string, depth = 1): Promise<string[]> {
    this.#nested.add(path)
    const folder = this.#at(path)
    const isText = Buffer.from(folder.toString()).equals(folder)
    if (!isText || depth > MAX_DEPTH || this.#nested.size > MAX_NESTED) return []
    const git = this.#git({ isSparse: false }, folder.toString(), `${this.options.file}.empty`)
    const found = entriesOf(await this.#list(git, ['ls-files', '-z', '-o', '--exclude-standard']))
    const files: string[] = []
    for (const each of found) {
      if (each.endsWith('/')) files.push(...(await this.#filesOf(`${path}${each}`, depth + 1)))
      else files.push(`${path}${each}`)
    }
    return files
  }

  /** Leaves out large and unreadable parts, and reports them. */
  async #admit(paths: readonly string[]): Promise<{ paths: string[]; leftOut: LeftOutFile[] }> {
    const max = this.options.maxFileBytes()
    const leftOut: LeftOutFile[] = []
    const admitted = new Set<string>()
    let total = 0
    for (const [at, path] of paths.entries()) {
      if (at % CHUNK === CHUNK - 1) await Bun.sleep(0)
      const stats = stat(this.#at(path))
      const size = stats?.isFile() ? stats.size : 0
      const reason = this.#reasonAgainst(path, stats, { size, max, total })
      if (reason !== undefined) leftOut.push({ path: shown(path), reason, bytes: size })
      else {
        total += size
        admitted.add(path)
      }
    }
    return { paths: [...admitted], leftOut }
  }

  #reasonAgainst(
    path: string,
    stats: Stats | undefined,
    { size, max, total }: { size: number; max: number; total: number },
  ): string | undefined {
    if (size > max) return 'larger than snapshot_max'
    if (total + size > max * MAX_TOTAL) return 'more was changed than one snapshot holds'
    return stats?.isFile() && !isReadable(this.#at(path)) ? 'cannot be read' : undefined
  }

  async #remove(git: Repository, paths: readonly string[]): Promise<void> {
    if (paths.length > 0) await git.read(['update-index', '-z', '--force-remove', '--stdin'], toInput(paths))
  }

  /** Stores files; those that git does not take are found by halving, and named. */
  async #add(git: Repository, paths: readonly string[]): Promise<LeftOutFile[]> {
    const failed: LeftOutFile[] = []
    const add = async (part: readonly string[]): Promise<void> => {
      if (part.length === 0) return
      const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin']
      const result = await git.execute(args, toInput(part))
      if (result.exitCode === 0) return
      const reason = gitErrorMessage(result)
      const [only] = part
      if (DISK_FULL.test(result.stderr) || failed.length >= MAX_FAILURES || result.exceeded || only === undefined) {
        throw new AppError('service-unavailable', DISK_FULL.exec(result.stderr)?.[0] ?? reason)
      }
      if (part.length === 1) return void failed.push({ path: shown(only), reason, bytes: 0 })
      const half = Math.ceil(part.length / 2)
      await add(part.slice(0, half))
      await add(part.slice(half))
    }
    await add(paths)
    return failed
  }

  #list(git: Repository, args: readonly string[]): Promise<string> {
    return git.read(args, LISTING)
  }

  /** A path of the folder, whose name may be no UTF-8. */
  #at(path: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.options.folder}/`), Buffer.from(path, 'latin1')])
  }
}

const LISTING = { timeout: TIMEOUT_MS, encoding: 'latin1' } as const

const entriesOf = (list: string): string[] => list.split('\0').filter(Boolean)
const afterTab = (entry: string): string => entry.slice(entry.indexOf('\t') + 1)

const toInput = (paths: readonly string[]) => ({
  input: Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1'),
  timeout: TIMEOUT_MS,
})

function stat(path: Buffer): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

function isReadable(path: Buffer): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** A path as people read it: bytes that are not UTF-8 are shown as `\xff`. */
function shown(path: string): string {
  const bytes = Buffer.from(path, 'latin1')
  const text = bytes.toString('utf8')
  if (Buffer.from(text).equals(bytes)) return text
  return [...bytes]
    .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`))
    .join('')
}
