import { existsSync } from 'node:fs'
import { type GitResult, type GitRunner, gitErrorMessage } from '../../config/git/git-runner.ts'
import { AppError } from '../../core/errors.ts'
import type { WorktreeStatus } from './keep-reason.ts'

const TIMEOUT_MS = 60_000

/** The git commands that worktrees need; a failure is thrown with git's last line. */
export class WorktreeGit {
  constructor(private readonly git: GitRunner) {}

  /** The branch that work of a repository is to end up in: the declared one, else the one checked out. */
  async baseOf(repository: string, declared: string | undefined): Promise<string> {
    if (declared !== undefined && (await this.#try(repository, 'rev-parse', '--verify', '-q', declared)))
      return declared
    const head = await this.#try(repository, 'symbolic-ref', '--short', '-q', 'HEAD')
    const base = head || (await this.#try(repository, 'rev-parse', '--verify', '-q', 'HEAD'))
    if (base) return base
    throw new AppError('service-unavailable', `${repository} is no git repository with a commit; a worktree needs one`)
  }

  /** Makes a worktree on a branch of its own; one that is there already is taken up again. */
  async add(repository: string, path: string, branch: string, base: string): Promise<void> {
    if (existsSync(path)) return
    await this.#run(repository, 'worktree', 'prune')
    const existing = await this.#try(repository, 'rev-parse', '--verify', '-q', `refs/heads/${branch}`)
    const how = existing ? [path, branch] : ['-b', branch, path, base]
    await this.#run(repository, 'worktree', 'add', '-q', ...how)
  }

  async status(repository: string, path: string, branch: string, base: string): Promise<WorktreeStatus> {
    const status = await this.#run(path, 'status', '--porcelain', '-z')
    const head = await this.#run(path, 'rev-parse', 'HEAD')
    const own = await this.#try(repository, 'rev-parse', '--verify', '-q', `refs/heads/${branch}`)
    const tips = [...new Set([head, own].filter((tip) => tip !== ''))]
    const [ahead, away] = [
      await this.#count(repository, ...tips, '--not', base),
      await this.#count(repository, ...tips, '--not', '--remotes'),
    ]
    const merged = ahead === 0 || (await this.#contains(repository, base, tips))
    return { changes: status.split('\0').filter(Boolean).length, merged, pushed: away === 0, ahead }
  }

  /** Removes a worktree; git fails when something in it is not committed, unless `force`. */
  async remove(repository: string, path: string, force: boolean): Promise<void> {
    if (existsSync(path)) await this.#run(repository, 'worktree', 'remove', ...(force ? ['--force'] : []), path)
    await this.#run(repository, 'worktree', 'prune')
  }

  /** Forgets a branch whose work is elsewhere. */
  async forget(repository: string, branch: string): Promise<void> {
    await this.#try(repository, 'branch', '-q', '-D', branch)
  }

  /** Whether merging these would change nothing, as after a squash or a rebase. */
  async #contains(repository: string, base: string, tips: readonly string[]): Promise<boolean> {
    const tree = await this.#try(repository, 'rev-parse', '--verify', '-q', `${base}^{tree}`)
    for (const tip of tips) {
      const merged = await this.#try(repository, 'merge-tree', '--write-tree', base, tip)
      if (tree === '' || merged !== tree) return false
    }
    return true
  }

  async #count(repository: string, ...range: string[]): Promise<number> {
    return Number(await this.#run(repository, 'rev-list', '--count', ...range))
  }

  async #run(folder: string, ...args: string[]): Promise<string> {
    const result = await this.#execute(folder, args)
    if (result.exitCode === 0) return result.stdout.trim()
    const command = args.slice(0, 2).join(' ')
    throw new AppError('service-unavailable', `git ${command} in ${folder}: ${gitErrorMessage(result)}`)
  }

  /** What git prints, or an empty string when it fails. */
  async #try(folder: string, ...args: string[]): Promise<string> {
    const { exitCode, stdout } = await this.#execute(folder, args)
    return exitCode === 0 ? stdout.trim() : ''
  }

  #execute(folder: string, args: readonly string[]): Promise<GitResult> {
    return this.git.run(['-C', folder, ...args], { timeout: TIMEOUT_MS })
  }
}
