import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { and, eq } from 'drizzle-orm'
import type { Config } from '../../config/config.ts'
import { fixedPath, writtenByAgents } from '../../config/confinement/fixed-path.ts'
import type { GitRunner } from '../../config/git/git-runner.ts'
import { gcPart } from '../../core/actor.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import type { Store, Tx } from '../../core/store.ts'
import { ProjectDisk } from './disk.ts'
import { GitFolder, writeExcludes } from './git-folder.ts'
import { type PlacedFile, planFile, planRemoval } from './plan-file.ts'
import { type ProjectFileRow, projectFiles } from './table.ts'
import type { WantedFile, WantedFiles } from './wanted.ts'

interface ProjectFilesOptions {
  store: Store
  reactions: Reactions
  git: GitRunner
  config: Pick<Config, 'current'>
  /** The folder of a session; undefined when it is none. */
  folderOf(session: string): string | undefined
  /** Whether sessions that are not closed work in a folder, beside this one. */
  isInUse(folder: string, except?: string): boolean
  report(message: string): void
}

const FILES = gcPart('project-files')

/**
 * What gc writes into projects: each file is on a list, hidden from git, and removed with the last session of its folder. It
 * is on the list before it is written, so that a crash leaves nothing behind that nobody knows of.
 */
export class ProjectFiles {
  readonly #busy = new Map<string, Promise<unknown>>()

  constructor(private readonly options: ProjectFilesOptions) {
    options.reactions.on('project-files.sessions', ['bead.closed'], (tx, { subject }) => {
      const folder = subject === undefined ? undefined : options.folderOf(subject)
      if (folder !== undefined) tx.after(() => void this.release(folder))
    })
  }

  /** Removes what a stop or a crash left behind. */
  start(): void {
    const rows = this.options.store.read((orm) =>
      orm.selectDistinct({ folder: projectFiles.folder }).from(projectFiles).all(),
    )
    for (const { folder } of rows) void this.release(folder)
  }

  async close(): Promise<void> {
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
      if (this.options.isInUse(folder)) return
      const rows = this.#rows(folder)
      if (rows.length > 0) await this.#remove(folder, rows)
    }).catch((error) => this.options.report(`files of gc in ${folder} were not removed: ${errorMessage(error)}`))
  }

  /** Where a folder is: no link counts that sessions can have made. */
  #placeOf(folder: string): string {
    return fixedPath(folder, writtenByAgents(this.options.config.current))
  }

  async #place(session: string, folder: string, wanted: ReadonlyMap<string, WantedFile>): Promise<string[]> {
    const place = this.#placeOf(folder)
    const disk = new ProjectDisk(place)
    const git = await GitFolder.at(place, this.options.git)
    const tracked = (await git?.tracked([...wanted.keys()])) ?? new Set<string>()
    const isShared = this.options.isInUse(folder, session)
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
        if ('reason' in plan) problems.push(`${path} is kept as it is: ${plan.reason}`)
        else if (plan.row) placed.push({ ...plan, row: plan.row })
      } catch (error) {
        problems.push(`${path} is kept as it is: ${errorMessage(error)}`)
      }
    }
    const entries = placed.map(({ path, row }) => this.#entry(folder, path, row, tracked, git))
    await this.options.store.write((tx) => this.#save(tx, entries), FILES)
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
    const git = existsSync(place) ? await GitFolder.at(place, this.options.git) : undefined
    const tracked = (await git?.tracked(rows.map(({ path }) => path))) ?? new Set<string>()
    for (const row of rows) {
      if (existsSync(place)) await planRemoval(row, await disk.find(row.path).catch(() => ({ kind: 'other' })))?.(disk)
      if (tracked.has(row.path)) await git?.hide(row.path, false)
    }
    await this.options.store.write((tx) => {
      for (const { path } of rows) {
        const isRow = and(eq(projectFiles.folder, folder), eq(projectFiles.path, path))
        tx.orm.delete(projectFiles).where(isRow).run()
      }
    }, FILES)
    await this.#writeExcludes(rows)
  }

  /** Brings the lists of git up to date with what is on ours. */
  async #writeExcludes(rows: readonly ProjectFileRow[]): Promise<void> {
    const { store } = this.options
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
    return this.options.store.read((orm) =>
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
