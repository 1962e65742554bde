import type { Repository } from '../../agents/worktrees/index.ts'
import { AppError } from '../../core/errors.ts'
import { RecentValues } from '../../core/recent-values.ts'
import {
  type ChangedPath,
  ChangedPathReader,
  type ChangedPaths,
  comparing,
  isCopy,
  MAX_FILES,
  mayHaveCopies,
  NO_MODE,
  type Origins,
} from './changed-paths.ts'
import { DiffGit } from './diff-git.ts'
import { FileFacts, toFile } from './file-facts.ts'
import { isLockFile } from './folding.ts'
import { followLines, type LinePlace } from './locate.ts'
import { MovedLines } from './moved.ts'
import { type FilePatch, objectsOf, PatchSource, type Sections } from './patch-source.ts'
import { compareCommits, type Round, startOfRound } from './rounds.ts'
import type { CommitChange, DiffFile, DiffPage, FileChanges } from './schema.ts'
import { markWords } from './words.ts'

const DEFAULT_PAGE_BYTES = 256 * 1024
const MAX_PAGE_BYTES = 4 * 1024 * 1024
/** Files on a page, however small. */
const MAX_PAGE_FILES = 60
/** Larger diffs are searched for moved lines by page. */
const MAX_MOVED_FILES = 300
const MAX_MOVED_BYTES = 1024 * 1024
/** Lists of files that are kept: those of two large diffs. */
const MAX_KEPT_FILES = 2 * MAX_FILES

export interface DiffOptions {
  /** The commit whose attributes declare generated files: the older one when absent. */
  readonly attributes?: string
}

export interface PageOptions extends DiffOptions {
  /** The files to show, in this order; all by path when absent. */
  readonly paths?: readonly string[]
  readonly cursor?: string
  readonly maxBytes?: number
  /** Shows the lines of generated and lock files. */
  readonly unfold?: boolean
}

/** Differences between two rounds of a change. */
export interface RangeDiff {
  /** The commit or tree that the page starts from. */
  readonly start: string
  readonly commits: readonly CommitChange[]
  readonly page: DiffPage
}

/** Reads the differences between two commits of gc's own bare repository. */
export class Diffs {
  readonly #git: DiffGit
  readonly #patches: PatchSource
  readonly #lists = new RecentValues<string, ChangedPaths>(MAX_KEPT_FILES, ({ items }) => items.length + 1)
  readonly #moved = new RecentValues<string, { lines: MovedLines | undefined }>(4, () => 1)
  readonly #files = new RecentValues<string, FileChanges>(MAX_KEPT_FILES, ({ items }) => items.length + 1)

  constructor(repository: Repository) {
    this.#git = new DiffGit(repository)
    this.#patches = new PatchSource(this.#git)
  }

  /** The changed files with their sizes and numbers of lines. */
  async files(base: string, head: string, { attributes = base }: DiffOptions = {}): Promise<FileChanges> {
    const key = `${base} ${head} ${attributes}`
    const known = this.#files.get(key)
    if (known) return known
    const { items, total, origins } = await this.#list(base, head)
    const counts = await this.#count(base, head, origins)
    const binary = new Set(items.filter((_, at) => counts[at]?.added === undefined))
    const isBinary = (path: ChangedPath) => binary.has(path)
    const facts = await new FileFacts(this.#git, attributes).read(Promise.resolve({ paths: items, isBinary }))
    const files = items.map((path, at) => ({ ...toFile(path, facts.get(path), binary.has(path)), ...counts[at] }))
    const changes: FileChanges = { items: files, total, ...sumOf(counts) }
    this.#files.set(key, changes)
    return changes
  }

  /** The number of changed files, and of their lines. */
  async size(base: string, head: string): Promise<Pick<FileChanges, 'total' | 'added' | 'removed'>> {
    const { total, origins } = await this.#list(base, head)
    return { total, ...sumOf(await this.#count(base, head, origins)) }
  }

  /** A part of the diff: files with their hunks, as many as fit. */
  async page(base: string, head: string, options: PageOptions = {}): Promise<DiffPage> {
    const { cursor, unfold = false, attributes = base } = options
    const maxBytes = Math.min(options.maxBytes ?? DEFAULT_PAGE_BYTES, MAX_PAGE_BYTES)
    const { at, skip } = parseCursor(cursor)
    const opened = this.#open(base, head, { ...options, maxBytes })
    const listed = opened.then(({ chosen, sections }) => ({
      paths: chosen.slice(at, at + MAX_PAGE_FILES),
      isBinary: (path: ChangedPath) => sections.get(objectsOf(path))?.isBinary === true,
    }))
    const [{ chosen, sections }, { paths: batch }, files] = await Promise.all([
      opened,
      listed,
      this.#describe(listed, `${base} ${head} ${attributes}`, attributes),
    ])
    const isShown = (path: ChangedPath) => {
      const folded = files.get(path)?.folded
      return folded === undefined || (unfold && (folded === 'lock' || folded === 'generated'))
    }
    const bounds = { sections, skip, maxBytes }
    const patches = await this.#patches.read({ from: base, to: head }, batch.filter(isShown), bounds)
    const shown: DiffFile[] = []
    let cut: number | undefined
    for (const path of batch) {
      const file = files.get(path)
      const patch = isShown(path) ? patches.get(path) : NOTHING
      // The page is full; the next one starts here.
      if (!file || !patch) break
      const isContinued = shown.length === 0 && skip > 0
      shown.push({ ...file, ...(isContinued && { continued: true }), hunks: [...patch.hunks] })
      cut = patch.rest
    }
    await this.#mark(base, head, shown)
    const next = at + shown.length
    if (cut !== undefined) return { files: shown, cursor: `${next - 1}.${cut}` }
    return { files: shown, ...(next < chosen.length && { cursor: `${next}.0` }) }
  }

  /** The files to show, and the lines of those on the page, as far as git prints them with one command. */
  async #open(from: string, to: string, options: PageOptions & { maxBytes: number }) {
    const { paths, cursor, maxBytes } = options
    const known = this.#lists.get(`${from} ${to}`)
    if (!known && !paths && cursor === undefined) {
      const { list, sections } = await this.#patches.first({ from, to }, { maxFiles: MAX_PAGE_FILES, maxBytes })
      this.#lists.set(`${from} ${to}`, list)
      return { chosen: list.items, sections }
    }
    const { items } = known ?? (await this.#list(from, to))
    const chosen = paths ? choose(items, paths) : items
    const { at, skip } = parseCursor(cursor)
    const batch = chosen.slice(at, at + MAX_PAGE_FILES).filter(({ path }) => options.unfold || !isLockFile(path))
    const sections: Sections = skip > 0 ? new Map() : await this.#patches.sections({ from, to }, batch, maxBytes)
    return { chosen, sections }
  }

  /** The files of a page without their lines. */
  async #describe(listed: Listed, key: string, attributes: string): Promise<ReadonlyMap<ChangedPath, Described>> {
    const known = this.#files.get(key)
    if (!known) {
      const [facts, { paths, isBinary }] = await Promise.all([
        new FileFacts(this.#git, attributes).read(listed),
        listed,
      ])
      return new Map(paths.map((path) => [path, toFile(path, facts.get(path), isBinary(path))]))
    }
    const byPath = new Map(known.items.map(({ added: _, removed: __, ...file }) => [file.path, file]))
    const { paths } = await listed
    return new Map(paths.map((path) => [path, byPath.get(path.path) ?? toFile(path, undefined, false)]))
  }

  /**
   * Reads a part of what is new since an earlier round, and the outcome of each commit. After a rebase, the earlier round is
   * first merged onto the new base, so that changes of the base are left out.
   */
  async range(first: Round, second: Round, options: Omit<PageOptions, 'attributes'> = {}): Promise<RangeDiff> {
    const [start, commits] = await Promise.all([this.start(first, second), compareCommits(this.#git, first, second)])
    const page = await this.page(start, second.head, { ...options, attributes: second.base })
    return { start, commits, page }
  }

  /** The commit or tree from which `files` and `page` show what is new in the second round. */
  start(first: Round, second: Round): Promise<string> {
    return startOfRound(this.#git, first, second)
  }

  /** Finds lines of one commit in another; undefined when they are gone or no longer the same. */
  async locate(place: LinePlace, from: string, to: string): Promise<LinePlace | undefined> {
    const { items } = await this.#list(from, to)
    const change = items.find((each) => !isCopy(each) && (each.oldPath ?? each.path) === place.path)
    if (!change) return place
    if (change.mode === NO_MODE || change.oldMode === NO_MODE) return undefined
    if (change.oldObject === change.object) return { ...place, path: change.path }
    const bounds = { skip: 0, maxBytes: MAX_PAGE_BYTES, context: 0 }
    const { hunks, rest, isBinary } = await this.#patches.one({ from, to }, change, bounds)
    return rest === undefined && !isBinary ? followLines(place, change.path, hunks) : undefined
  }

  /** All pages, one after the other. */
  async *pages(base: string, head: string, options: Omit<PageOptions, 'cursor'> = {}): AsyncGenerator<DiffPage> {
    let cursor: string | undefined
    do {
      const page: DiffPage = await this.page(base, head, { ...options, ...(cursor !== undefined && { cursor }) })
      yield page
      cursor = page.cursor
    } while (cursor !== undefined)
  }

  async #list(from: string, to: string): Promise<ChangedPaths> {
    const key = `${from} ${to}`
    const known = this.#lists.get(key)
    if (known) return known
    const renames = await this.#read(from, to, 'renames')
    const list = mayHaveCopies(renames) ? await this.#read(from, to, 'copies') : renames
    this.#lists.set(key, list)
    return list
  }

  async #read(from: string, to: string, origins: Origins): Promise<ChangedPaths> {
    const reader = new ChangedPathReader(origins)
    await this.#git.stream(['diff-tree', ...comparing(origins), '--raw', from, to], reader.take)
    return reader.list
  }

  /** Marks lines that moved and words that changed. */
  async #mark(from: string, to: string, files: readonly DiffFile[]): Promise<void> {
    const moved = (await this.#movedLines(from, to)) ?? new MovedLines(files)
    for (const hunk of files.flatMap(({ hunks }) => hunks)) {
      moved.mark(hunk)
      markWords(hunk)
    }
  }

  /** The lines that a small diff adds and removes; those of a large one are compared within a page. */
  async #movedLines(from: string, to: string): Promise<MovedLines | undefined> {
    const key = `${from} ${to}`
    const known = this.#moved.get(key)
    if (known) return known.lines
    const { items } = await this.#list(from, to)
    const hunks = items.length <= MAX_MOVED_FILES ? await this.#patches.changes(from, to, MAX_MOVED_BYTES) : undefined
    const lines = hunks && new MovedLines([{ hunks }])
    this.#moved.set(key, { lines })
    return lines
  }

  /** Numbers of lines, in the order of the list; none for a binary file. */
  async #count(from: string, to: string, origins: Origins): Promise<LineCount[]> {
    const counts: LineCount[] = []
    let names = 0
    await this.#git.fields(['diff-tree', ...comparing(origins), '--numstat', from, to], (field) => {
      if (names > 0) {
        names--
        return true
      }
      const [added = '', removed = '', path] = field.split('\t')
      counts.push(added === '-' ? {} : { added: Number(added), removed: Number(removed) })
      // The names of a rename or copy are fields of their own.
      if (path === '') names = 2
      return counts.length < MAX_FILES || names > 0
    })
    return counts
  }
}

interface LineCount {
  added?: number
  removed?: number
}

function sumOf(counts: readonly LineCount[]): Required<LineCount> {
  const sum = (key: keyof LineCount) => counts.reduce((all, count) => all + (count[key] ?? 0), 0)
  return { added: sum('added'), removed: sum('removed') }
}

type Described = Omit<DiffFile, 'hunks'>
/** The files of a page, once they are listed. */
type Listed = Promise<{ paths: readonly ChangedPath[]; isBinary(path: ChangedPath): boolean }>

const NOTHING: FilePatch = { isBinary: false, hunks: [], bytes: 0 }

function choose(items: readonly ChangedPath[], paths: readonly string[]): ChangedPath[] {
  const byPath = Map.groupBy(items, ({ path }) => path)
  return [...new Set(paths)].flatMap((path) => byPath.get(path) ?? [])
}

/** `12.340`: the file, and lines of it that were shown already. */
function parseCursor(cursor: string | undefined): { at: number; skip: number } {
  if (cursor === undefined) return { at: 0, skip: 0 }
  const [, at, skip] = /^(\d{1,9})\.(\d{1,9})$/.exec(cursor) ?? []
  if (at === undefined)
    throw new AppError('invalid-cursor', 'the cursor is not one of this diff; leave it out to start again')
  return { at: Number(at), skip: Number(skip) }
}
