import { existsSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type GitRunner, repositoryFolders, workingFolders } from '../../config/git/index.ts'
import { type Bundle, bring, type Wanted } from './bring.ts'
import type { Checkouts } from './checkouts.ts'
import { type Lends, rigRepository } from './clones.ts'
import { changedFiles, type WorktreeStatus } from './keep-reason.ts'
import { Repository } from './repository.ts'
import type { WorktreeRow } from './table.ts'

/**
 * Worktrees linked to the repository of their rig, as gc made them before: they continue until their sessions are over.
 * Other sessions may write the rig, so that gc's own git runs confined in them as well.
 */
export class LinkedWorktrees implements Checkouts {
  constructor(
    private readonly git: GitRunner,
    private readonly lends: Lends,
  ) {}

  async prepare(row: WorktreeRow, start = row.base): Promise<string | null> {
    const { path, branch, home } = row
    if (existsSync(path)) return home
    await this.#rig(row).run('worktree', 'prune')
    const existing = await this.#rig(row).commitOf(`refs/heads/${branch}`)
    const how = existing ? [path, branch] : ['-b', branch, path, start]
    // Git takes an empty folder, and then needs to write nothing around it.
    mkdirSync(path)
    try {
      await this.#rig(row, [path]).run('worktree', 'add', '-q', ...how)
    } catch (error) {
      await rm(path, { recursive: true, force: true })
      throw error
    }
    return home
  }

  /** Commits of a linked worktree are in the rig's repository immediately. */
  async fetch({ home }: WorktreeRow): Promise<string | null> {
    return home
  }

  bring(row: WorktreeRow, wanted: readonly Wanted[], bundle: Bundle): Promise<void> {
    const incoming = `${row.path}.incoming`
    return bring(this.#rig(row, [incoming]), { wanted, bundle, incoming, branch: row.branch })
  }

  async status(row: WorktreeRow): Promise<WorktreeStatus> {
    const [own, shared] = [this.#own(row), this.#rig(row)]
    const status = await own.run('--no-optional-locks', 'status', '--porcelain', '-z')
    const tips = [await own.run('rev-parse', 'HEAD'), await shared.commitOf(`refs/heads/${row.branch}`)]
    const known = [...new Set(tips.filter((tip) => tip !== ''))]
    const away = await shared.count(...known, '--not', '--remotes')
    const files = changedFiles(status)
    return {
      changes: files.length,
      files,
      stashed: false,
      pushed: away === 0,
      ...(await shared.compare(row.base, known)),
    }
  }

  async remove(row: WorktreeRow): Promise<void> {
    await rm(row.path, { recursive: true, force: true })
    await this.#rig(row).run('worktree', 'prune')
  }

  async compared(row: WorktreeRow): Promise<{ repository: Repository; base: string }> {
    return { repository: this.#own(row), base: row.base }
  }

  /** The repository of the rig; git may also write these folders. */
  #rig({ rig, repository }: WorktreeRow, write: readonly string[] = []): Repository {
    return rigRepository(this.git, repository, (objects) => this.lends(rig, objects), { write })
  }

  #own({ path, rig }: WorktreeRow): Repository {
    const working = workingFolders(path)
    const read = [...working, ...repositoryFolders(path, (objects) => this.lends(rig, objects))]
    return new Repository(this.git, path, { read, write: working.slice(1) })
  }
}
