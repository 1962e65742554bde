import {
  type GitCommandOptions,
  type GitFolders,
  type GitResult,
  type GitRunner,
  gitErrorMessage,
} from '../../config/git/index.ts'
import { AppError } from '../../core/errors.ts'

const TIMEOUT_MS = 60_000

/** A folder in which git runs: the repository of a rig, or what was made of it for a session. */
export class Repository {
  constructor(
    private readonly git: GitRunner,
    readonly path: string,
    /** The folders that git is confined to; absent where it runs as gc does. */
    readonly within?: GitFolders,
    private readonly env?: Readonly<Record<string, string>>,
  ) {}

  /** Output of git; throws git's reason on failure. */
  async run(...args: string[]): Promise<string> {
    return (await this.read(args)).trim()
  }

  /** The same as it is printed, with options. */
  async read(args: readonly string[], options: Partial<GitCommandOptions> = {}): Promise<string> {
    const result = await this.execute(args, options)
    if (result.exitCode === 0) return result.stdout
    const settings = args.findLastIndex((_, at) => args[at - 1] === '-c') + 1
    const command = args.slice(settings, settings + 2).join(' ')
    throw new AppError('service-unavailable', `git ${command} in ${this.path}: ${gitErrorMessage(result)}`)
  }

  /** Output of git, or an empty string on failure. */
  async try(...args: string[]): Promise<string> {
    const { exitCode, stdout } = await this.execute(args)
    return exitCode === 0 ? stdout.trim() : ''
  }

  /** The commit that a name means; empty when it means none. */
  commitOf(name: string): Promise<string> {
    return this.try('rev-parse', '--verify', '-q', `${name}^{commit}`)
  }

  async count(...range: string[]): Promise<number> {
    return Number(await this.run('rev-list', '--count', ...range))
  }

  /** The branch that work is to end up in: the declared one, else the one checked out. */
  async base(declared: string | undefined): Promise<string> {
    if (declared !== undefined && (await this.try('rev-parse', '--verify', '-q', declared))) return declared
    const head = await this.try('symbolic-ref', '--short', '-q', 'HEAD')
    const base = head || (await this.try('rev-parse', '--verify', '-q', 'HEAD'))
    if (base) return base
    throw new AppError(
      'service-unavailable',
      `${this.path} is not a git repository with a commit; a worktree needs one`,
    )
  }

  /** Number of commits of these tips that the base lacks, and whether merging them would change nothing. */
  async compare(base: string, tips: readonly string[]): Promise<{ ahead: number; merged: boolean }> {
    const ahead = await this.count(...tips, '--not', base)
    return { ahead, merged: ahead === 0 || (await this.#contains(base, tips)) }
  }

  /** True if merging these would change nothing, as after a squash or a rebase. */
  async #contains(base: string, tips: readonly string[]): Promise<boolean> {
    const tree = await this.try('rev-parse', '--verify', '-q', `${base}^{tree}`)
    for (const tip of tips) {
      const merged = await this.try('merge-tree', '--write-tree', base, tip)
      if (tree === '' || merged !== tree) return false
    }
    return true
  }

  /** Runs a command to its end, whatever it ends with. */
  execute(args: readonly string[], options: Partial<GitCommandOptions> = {}): Promise<GitResult> {
    const env = { ...this.env, ...options.env }
    const bounds = { timeout: TIMEOUT_MS, ...(this.within && { within: this.within }) }
    return this.git.run(['-C', this.path, ...args], { ...bounds, ...options, env })
  }
}
