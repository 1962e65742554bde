import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, lstat, readlink, rename, rm, rmdir, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { and, eq } from 'drizzle-orm'
import { type ParseError, parse } from 'jsonc-parser'
import type { Config } from '../../config/compose/index.ts'
import { fixedPath, writtenByAgents } from '../../config/confinement/index.ts'
import {
  findRepository,
  type GitFolders,
  type GitRunner,
  sharedFolder,
  workingFolders,
} from '../../config/git/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { sha256 } from '../../core/digest.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Reactions } from '../../core/events/index.ts'
import { requireNoLinks } from '../../core/folders.ts'
import { readPlainFile } from '../../core/plain-file.ts'
import { HeldFolder, type Tx } from '../../core/store/index.ts'
import type { NamedTable, Settings } from '../../programs/parts/index.ts'
import type { SessionRepository } from '../../work/sessions/index.ts'
import { isTable, mergeSettings } from './merge-settings.ts'
import { type ProjectFileRow, projectFiles } from './table.ts'
import type { WantedFile, WantedFiles } from './wanted.ts'

const FILES = gcPart('project-files')

/**
 * Files that gc writes into projects. Each is listed, hidden from git, and removed with the last session of its folder.
 * It is on the list before it is written, so that a crash leaves nothing behind that no one knows of.
 */
export class ProjectFiles {
  readonly #busy = new Map<string, Promise<unknown>>()

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      reactions: Reactions
      git: GitRunner
      config: Pick<Config, 'current'>
      sessionRepository: SessionRepository
    },
  ) {
    peers.reactions.on('project-files.sessions', ['bead.closed'], (tx, { subject }) => {
      const folder = subject === undefined ? undefined : peers.sessionRepository.find(subject)?.workDir
      if (folder !== undefined) tx.after(() => void this.release(folder))
    })
  }

  /** Removes what a stop or a crash left behind. */
  start(): void {
    const rows = this.context.store.read((orm) =>
      orm.selectDistinct({ folder: projectFiles.folder }).from(projectFiles).all(),
    )
    for (const { folder } of rows) void this.release(folder)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#busy.values())
  }

  /** Puts files into the folder of a session; resolves with what was not written, and why. */
  place(session: string, folder: string, { files, problems }: WantedFiles): Promise<string[]> {
    return this.#exclusively(folder, async () => {
      if (files.size === 0 && this.#rows(folder).length === 0) return [...problems]
      return [...problems, ...(await this.#place(session, folder, files))]
    })
  }

  /** Removes the files of a folder that no session works in any more; those that were changed stay. */
  release(folder: string): Promise<void> {
    return this.#exclusively(folder, async () => {
      if (this.#isInUse(folder)) return
      const rows = this.#rows(folder)
      if (rows.length > 0) await this.#remove(folder, rows)
    }).catch((error) => this.context.report(`files of gc in ${folder} were not removed: ${errorMessage(error)}`))
  }

  /** The paths of a folder in which gc wrote. */
  pathsIn(folder: string): string[] {
    return this.#rows(folder).map(({ path }) => path)
  }

  /** True if sessions that are not closed work in a folder, beside this one. */
  #isInUse(folder: string, except?: string): boolean {
    return this.peers.sessionRepository.live().some(({ id, workDir }) => workDir === folder && id !== except)
  }

  /** Real location of a folder, ignoring links that sessions can have made. */
  #placeOf(folder: string): string {
    return fixedPath(folder, writtenByAgents(this.peers.config.current))
  }

  async #place(session: string, folder: string, wanted: ReadonlyMap<string, WantedFile>): Promise<string[]> {
    const place = this.#placeOf(folder)
    const disk = new ProjectDisk(place)
    const git = await GitFolder.at(place, this.peers.git)
    const tracked = (await git?.tracked([...wanted.keys()])) ?? new Set<string>()
    const isShared = this.#isInUse(folder, session)
    const rows = new Map(this.#rows(folder).map((row) => [row.path, row]))
    const problems: string[] = []
    const placed: PlacedFile[] = []
    for (const [path, file] of wanted) {
      try {
        const plan = planFile({
          path,
          file,
          existing: await disk.find(path),
          row: rows.get(path),
          isTracked: tracked.has(path),
          isShared,
        })
        if ('reason' in plan) problems.push(`${path} is kept unchanged: ${plan.reason}`)
        else if (plan.row) placed.push({ ...plan, row: plan.row })
      } catch (error) {
        problems.push(`${path} is kept unchanged: ${errorMessage(error)}`)
      }
    }
    const entries = placed.map(({ path, row }) => this.#entry(folder, path, row, tracked, git))
    await this.context.store.write((tx) => this.#save(tx, entries), FILES)
    await this.#writeExcludes(entries)
    for (const { path, write } of placed) {
      await write?.(disk)
      if (tracked.has(path)) await git?.hide(path, true)
    }
    const stale = [...rows.values()].filter(({ path }) => !wanted.has(path))
    if (!isShared && stale.length > 0) await this.#remove(folder, stale)
    return problems
  }

  #entry(
    folder: string,
    path: string,
    row: Pick<ProjectFileRow, 'kind' | 'hash' | 'original'>,
    tracked: ReadonlySet<string>,
    git: GitFolder | undefined,
  ): ProjectFileRow {
    const isHidden = git !== undefined && !tracked.has(path)
    const place = isHidden ? { excludeFile: git.excludeFile, pattern: git.patternOf(path) } : NOT_EXCLUDED
    return { folder, path, ...row, ...place }
  }

  #save(tx: Tx, entries: readonly ProjectFileRow[]): void {
    for (const entry of entries) {
      const target = [projectFiles.folder, projectFiles.path]
      tx.orm.insert(projectFiles).values(entry).onConflictDoUpdate({ target, set: entry }).run()
    }
  }

  async #remove(folder: string, rows: readonly ProjectFileRow[]): Promise<void> {
    const place = this.#placeOf(folder)
    const disk = new ProjectDisk(place)
    const git = existsSync(place) ? await GitFolder.at(place, this.peers.git) : undefined
    const tracked = (await git?.tracked(rows.map(({ path }) => path))) ?? new Set<string>()
    for (const row of rows) {
      if (existsSync(place)) await planRemoval(row, await disk.find(row.path).catch(() => ({ kind: 'other' })))?.(disk)
      if (tracked.has(row.path)) await git?.hide(row.path, false)
    }
    await this.context.store.write((tx) => {
      for (const { path } of rows) {
        const isRow = and(eq(projectFiles.folder, folder), eq(projectFiles.path, path))
        tx.orm.delete(projectFiles).where(isRow).run()
      }
    }, FILES)
    await this.#writeExcludes(rows)
  }

  /** Brings the lists of git up to date with what is on ours. */
  async #writeExcludes(rows: readonly ProjectFileRow[]): Promise<void> {
    const { store } = this.context
    for (const file of new Set(rows.flatMap(({ excludeFile }) => excludeFile ?? []))) {
      const entries = store.read((orm) =>
        orm.select().from(projectFiles).where(eq(projectFiles.excludeFile, file)).all(),
      )
      await this.#exclusively(file, () =>
        writeExcludes(
          join(this.#placeOf(dirname(dirname(file))), basename(dirname(file)), basename(file)),
          entries.flatMap(({ pattern }) => pattern ?? []),
        ),
      )
    }
  }

  #rows(folder: string): ProjectFileRow[] {
    return this.context.store.read((orm) =>
      orm.select().from(projectFiles).where(eq(projectFiles.folder, folder)).all(),
    )
  }

  /** Runs the work on one folder, or one file of git, one after the other. */
  #exclusively<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const run = (this.#busy.get(key) ?? Promise.resolve()).then(work, work)
    const done = run
      .catch(() => {})
      .then(() => {
        if (this.#busy.get(key) === done) this.#busy.delete(key)
      })
    this.#busy.set(key, done)
    return run
  }
}

const NOT_EXCLUDED = { excludeFile: null, pattern: null }

const TIMEOUT_MS = 30_000
const OPEN = '# gc: what gc wrote for its sessions'
const CLOSE = '# gc: end'

/** A folder of a git repository. */
class GitFolder {
  private constructor(
    private readonly git: GitRunner,
    private readonly folder: string,
    /** Path of the folder in its working tree; empty for the top. */
    private readonly prefix: string,
    readonly excludeFile: string,
  ) {}

  /** Undefined when the folder, a place without links on the way, is in no repository, or there is no git. */
  static async at(folder: string, git: GitRunner): Promise<GitFolder | undefined> {
    if (!git.isInstalled) return undefined
    const repository = findRepository(folder)
    if (repository === undefined) return undefined
    const args = ['-C', folder, 'rev-parse', '--show-prefix']
    const { exitCode, stdout } = await git.run(args, { timeout: TIMEOUT_MS, within: within(folder) })
    if (exitCode !== 0) return undefined
    return new GitFolder(git, folder, stdout.trimEnd(), join(sharedFolder(repository), 'info', 'exclude'))
  }

  /** The line that makes git ignore a path of the folder. */
  patternOf(path: string): string {
    return `/${join(this.prefix, path).replace(/[\\*?[\]# !]/g, '\\$&')}`
  }

  /** Those of the paths that are in the repository. */
  async tracked(paths: readonly string[]): Promise<ReadonlySet<string>> {
    if (paths.length === 0) return new Set()
    const args = ['-C', this.folder, '--literal-pathspecs', 'ls-files', '-z', '--', ...paths]
    const { exitCode, stdout } = await this.git.run(args, { timeout: TIMEOUT_MS, within: within(this.folder) })
    return new Set(exitCode === 0 ? stdout.split('\0').filter(Boolean) : paths)
  }

  /** Makes git look away from what was put into a tracked file, so that no one commits it; or look at it again. */
  async hide(path: string, isHidden: boolean): Promise<void> {
    const flag = isHidden ? '--skip-worktree' : '--no-skip-worktree'
    const args = ['-C', this.folder, 'update-index', flag, '--', path]
    const repository = findRepository(this.folder)
    const write = repository === undefined ? [] : [repository]
    await this.git.run(args, { timeout: TIMEOUT_MS, within: { ...within(this.folder), write } })
  }
}

const within = (folder: string): GitFolders => ({ read: workingFolders(folder), write: [] })

/** Writes the lines of gc into a file of `info/exclude`; every other line stays. No link is followed. */
async function writeExcludes(file: string, patterns: readonly string[]): Promise<void> {
  const folder = new ProjectDisk(dirname(dirname(file)))
  const path = join(basename(dirname(file)), basename(file))
  const existing = await folder.find(path)
  const text = existing.kind === 'file' ? existing.bytes.toString() : ''
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const start = lines.indexOf(OPEN)
  const end = lines.indexOf(CLOSE, start)
  const own = [...new Set(patterns)].sort()
  const block = own.length === 0 ? [] : [OPEN, ...own, CLOSE]
  const others = start < 0 || end < 0 ? lines : [...lines.slice(0, start), ...lines.slice(end + 1)]
  const after = [...others, ...block].map((line) => `${line}\n`).join('')
  if (after === text) return
  await folder.write(path, Buffer.from(after), 0o644)
}

interface PlanInput {
  readonly path: string
  readonly file: WantedFile
  readonly existing: ExistingFile
  /** Entry of gc's list for this place. */
  readonly row: ProjectFileRow | undefined
  /** True if it is in the project's repository. */
  readonly isTracked: boolean
  /** True if other sessions work in the folder. */
  readonly isShared: boolean
}

type ListedFile = Pick<ProjectFileRow, 'kind' | 'hash' | 'original'>

/** Plan for one place: write it, or leave it. Without a row it is not ours. */
interface Plan {
  readonly path: string
  readonly row: ListedFile | undefined
  readonly write: ((disk: ProjectDisk) => Promise<void>) | undefined
}

type PlacedFile = Plan & { readonly row: ListedFile }

/** Reason a file of others is left alone. */
interface SkippedFile {
  readonly reason: string
}

/** Decides what is done with one place of a project. Files of others are never replaced. */
function planFile(input: PlanInput): Plan | SkippedFile {
  const { file, existing, row, isTracked } = input
  const isOurs = row !== undefined && hashOf(existing) === row.hash
  if (existing.kind === 'nothing' && isTracked) return { reason: 'it is in the repository and was deleted here' }
  if (file.kind === 'link') return planLink(input, file.target, isOurs)
  if (file.kind === 'file') return planContent(input, { bytes: Buffer.from(file.bytes), mode: file.mode }, null, isOurs)
  if (row && !isOurs && !isOriginal(existing, row)) return { reason: 'it was changed after gc wrote to it' }
  if (existing.kind === 'link' || existing.kind === 'other') return { reason: 'it is not a plain file' }
  return planMerged(input, file, isOurs)
}

/** True if a file is as it was before gc wrote to it, as after a crash in between. */
const isOriginal = (existing: ExistingFile, { original }: ProjectFileRow): boolean =>
  existing.kind === 'nothing' ||
  (existing.kind === 'file' && original !== null && existing.bytes.toString('utf8') === original)

function planLink({ path, existing, row, isTracked }: PlanInput, target: string, isOurs: boolean): Plan | SkippedFile {
  if (isTracked) return { reason: 'it is in the repository' }
  const isThere = existing.kind === 'link' && existing.target === target
  if (existing.kind !== 'nothing' && !isOurs) return isThere && !row ? NOT_OURS(path) : { reason: 'it is not of gc' }
  const listed = { kind: 'link', hash: sha256(Buffer.from(target)), original: null } as const
  return { path, row: listed, write: isThere ? undefined : (disk) => disk.link(path, target) }
}

function planMerged(
  input: PlanInput,
  file: Extract<WantedFile, { kind: 'settings' | 'tables' }>,
  isOurs: boolean,
): Plan | SkippedFile {
  const { path, existing, row, isShared } = input
  const current = existing.kind === 'file' ? existing.bytes.toString('utf8') : ''
  const original = isOurs ? (row?.original ?? null) : existing.kind === 'file' ? current : null
  const base = isOurs && !isShared ? (original ?? '') : current
  const content = mergedContent(path, file, base)
  const mode = existing.kind === 'file' && !file.isSecret ? existing.mode : content.mode
  return planContent(input, { ...content, mode }, original, true)
}

function planContent(
  { path, existing, row }: PlanInput,
  { bytes, mode }: Content,
  original: string | null,
  mayReplace: boolean,
): Plan | SkippedFile {
  const isThere = existing.kind === 'file' && existing.bytes.equals(bytes)
  if (isThere && !row) return NOT_OURS(path)
  if (existing.kind !== 'nothing' && !mayReplace) return { reason: 'it is not of gc' }
  const listed = { kind: 'file', hash: sha256(bytes), original } as const
  const isSame = isThere && existing.mode === mode
  return { path, row: listed, write: isSame ? undefined : (disk) => disk.write(path, bytes, mode) }
}

const NOT_OURS = (path: string): Plan => ({ path, row: undefined, write: undefined })

/** Takes out what gc wrote: what was there before comes back. Undefined for what somebody has changed since. */
function planRemoval(
  { path, hash, original }: ProjectFileRow,
  existing: ExistingFile | { kind: 'other' },
): ((disk: ProjectDisk) => Promise<void>) | undefined {
  if (hashOf(existing) !== hash) return undefined
  if (original === null) return (disk) => disk.remove(path)
  const mode = existing.kind === 'file' ? existing.mode : 0o644
  return (disk) => disk.write(path, Buffer.from(original), mode)
}

const SECRET_MODE = 0o600
const MODE = 0o644

/** Content to write to a place. */
interface Content {
  readonly bytes: Buffer
  readonly mode: number
}

type MergedFile = Extract<WantedFile, { kind: 'settings' | 'tables' }>

/** Content of a shared file after merging gc's part. Throws when it cannot be read. */
function mergedContent(path: string, wanted: MergedFile, base: string): Content {
  const text = wanted.kind === 'settings' ? mergedSettings(path, wanted, base) : withTables(base, wanted.tables)
  return { bytes: Buffer.from(text), mode: wanted.isSecret ? SECRET_MODE : MODE }
}

function mergedSettings(path: string, wanted: Extract<WantedFile, { kind: 'settings' }>, base: string): string {
  return `${JSON.stringify(mergeSettings(path, parseSettings(base), wanted.parts), null, 2)}\n`
}

/** Settings may hold comments; those of an object of any other kind, or of broken text, are not ours to rewrite. */
function parseSettings(text: string): Settings {
  if (text.trim() === '') return {}
  const errors: ParseError[] = []
  const settings: unknown = parse(text, errors, { allowTrailingComma: true })
  if (errors.length > 0 || !isTable(settings)) throw new TypeError('it is not an object of settings')
  return settings
}

/** The text with the tables that it does not have yet. */
function withTables(text: string, tables: readonly NamedTable[]): string {
  const headers = new Set(text.split('\n').map((line) => line.trim()))
  const added = tables.filter(({ header }) => !headers.has(header)).map((table) => `${table.text}\n`)
  return [...(text.trim() === '' ? [] : [`${text.trimEnd()}\n`]), ...added].join('\n')
}

/** Current file at one place of a project. */
type ExistingFile =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'other' }

const MAX_BYTES = 8 * 1024 * 1024

/**
 * Reads and writes a project's folder, a place without links on the way, and nothing through links in it: sessions that work
 * there may put one anywhere at any time.
 */
class ProjectDisk {
  constructor(readonly folder: string) {}

  async find(path: string): Promise<ExistingFile> {
    using held = this.#hold(path)
    const file = held?.at(basename(path))
    const stats = file === undefined ? undefined : await lstat(file).catch(() => undefined)
    if (!stats || file === undefined) return { kind: 'nothing' }
    if (stats.isSymbolicLink()) return { kind: 'link', target: await readlink(file) }
    const bytes = readPlainFile(file, MAX_BYTES)
    return bytes ? { kind: 'file', bytes, mode: stats.mode & 0o777 } : { kind: 'other' }
  }

  /** Puts a file in its place immediately, so that no program sees half of it. */
  async write(path: string, bytes: Uint8Array, mode: number): Promise<void> {
    await this.#replace(path, async (temporary) => {
      await writeFile(temporary, bytes, { flag: 'wx', mode })
      await chmod(temporary, mode)
    })
  }

  async link(path: string, target: string): Promise<void> {
    await this.#replace(path, (temporary) => symlink(target, temporary))
  }

  /** Removes a file, and the folders that are empty without it. */
  async remove(path: string): Promise<void> {
    using held = this.#hold(path)
    if (held) await rm(held.at(basename(path)), { force: true })
    for (let at = dirname(path); at !== '.'; at = dirname(at)) {
      using parent = this.#hold(at)
      const isGone = await rmdir(parent?.at(basename(at)) ?? '').then(
        () => true,
        () => false,
      )
      if (!isGone) return
    }
  }

  /** The folder that has a path; undefined where it is not there. */
  #hold(path: string, { make = false } = {}): HeldFolder | undefined {
    requireNoLinks(this.folder, dirname(path))
    using folder = HeldFolder.find(this.folder)
    return folder?.below(dirname(path), { make })
  }

  async #replace(path: string, make: (temporary: string) => Promise<void>): Promise<void> {
    using held = this.#hold(path, { make: true })
    if (!held) throw new AppError('conflict-wrong-state', `${join(this.folder, dirname(path))} is not a folder`)
    const temporary = held.at(`.gc-${randomBytes(6).toString('hex')}`)
    try {
      await make(temporary)
      await rename(temporary, held.at(basename(path)))
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }
}

/** Fingerprint of a place's state. */
function hashOf(existing: ExistingFile): string | undefined {
  if (existing.kind === 'file') return sha256(existing.bytes)
  return existing.kind === 'link' ? sha256(Buffer.from(existing.target)) : undefined
}
