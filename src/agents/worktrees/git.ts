import { existsSync } from 'node:fs'
import { type GitHelp, gitEnv } from '../../config/rigs/git.ts'
import { AppError } from '../../core/errors.ts'
import type { Findings } from './judge.ts'

const WITHIN = 60_000
/** What a repository's own configuration would run is not run for looking at it. */
const QUIET = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0']

/** The git commands that worktrees need, bounded in time; a failure is thrown with git's own last words. */
export class Git {
  constructor(private readonly help: GitHelp) {}

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
    const known = await this.#try(repository, 'rev-parse', '--verify', '-q', `refs/heads/${branch}`)
    const how = known ? [path, branch] : ['-b', branch, path, base]
    await this.#run(repository, 'worktree', 'add', '-q', ...how)
  }

  async look(repository: string, path: string, branch: string, base: string): Promise<Findings> {
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

  /** Takes a worktree away; git refuses when something in it is not committed, unless `force`. */
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

  async #run(folder: string, ...words: string[]): Promise<string> {
    const { code, output, errors } = await this.#spawn(folder, words)
    if (code === 0) return output
    const last = errors.trim().split('\n').at(-1) ?? ''
    throw new AppError(
      'service-unavailable',
      `git ${words.slice(0, 2).join(' ')} in ${folder}: ${last || `it ended with ${code}`}`,
    )
  }

  /** What git says, or nothing when it fails. */
  async #try(folder: string, ...words: string[]): Promise<string> {
    const { code, output } = await this.#spawn(folder, words)
    return code === 0 ? output : ''
  }

  async #spawn(folder: string, words: readonly string[]) {
    const { env, deadlines } = this.help
    const git = Bun.which('git', { PATH: env.PATH ?? '' })
    if (!git) throw new AppError('service-unavailable', 'there is no git on the PATH; install it')
    const stdio = { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' } as const
    const child = Bun.spawn([git, '-C', folder, ...QUIET, ...words], { env: gitEnv(env), ...stdio })
    const late = deadlines.after(WITHIN, () => child.kill('SIGKILL'))
    try {
      const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const
      const [code, output, errors] = await Promise.all([child.exited, ...texts])
      return { code, output: output.trim(), errors }
    } finally {
      late.cancel()
    }
  }
}
