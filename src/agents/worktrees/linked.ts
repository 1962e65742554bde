import { existsSync } from 'node:fs'
import type { GitRunner } from '../../config/git/git-runner.ts'
import type { Checkouts } from './checkouts.ts'
import type { WorktreeStatus } from './keep-reason.ts'
import { Repository } from './repository.ts'
import type { WorktreeRow } from './table.ts'

/** Worktrees linked to the repository of their rig, as gc made them before: they go on until their sessions are over. */
export class LinkedWorktrees implements Checkouts {
  constructor(private readonly git: GitRunner) {}

  async prepare({ repository, path, branch, base, home }: WorktreeRow): Promise<string | null> {
    if (existsSync(path)) return home
    const shared = new Repository(this.git, repository)
    await shared.run('worktree', 'prune')
    const existing = await shared.commitOf(`refs/heads/${branch}`)
    const how = existing ? [path, branch] : ['-b', branch, path, base]
    await shared.run('worktree', 'add', '-q', ...how)
    return home
  }

  /** What is committed in a linked worktree is in the rig's repository at once. */
  async fetch({ home }: WorktreeRow): Promise<string | null> {
    return home
  }

  async status({ repository, path, branch, base }: WorktreeRow): Promise<WorktreeStatus> {
    const [own, shared] = [new Repository(this.git, path), new Repository(this.git, repository)]
    const status = await own.run('status', '--porcelain', '-z')
    const tips = [await own.run('rev-parse', 'HEAD'), await shared.commitOf(`refs/heads/${branch}`)]
    const known = [...new Set(tips.filter((tip) => tip !== ''))]
    const away = await shared.count(...known, '--not', '--remotes')
    const changes = status.split('\0').filter(Boolean).length
    return { changes, stashed: false, pushed: away === 0, ...(await shared.compare(base, known)) }
  }

  /** Git fails when something in it is not committed, unless `force`. */
  async remove({ repository, path }: WorktreeRow, force: boolean): Promise<void> {
    const shared = new Repository(this.git, repository)
    if (existsSync(path)) await shared.run('worktree', 'remove', ...(force ? ['--force'] : []), path)
    await shared.run('worktree', 'prune')
  }

  async compared({ path, base }: WorktreeRow): Promise<{ repository: Repository; base: string }> {
    return { repository: new Repository(this.git, path), base }
  }
}
