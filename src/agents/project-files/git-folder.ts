import { basename, dirname, join } from 'node:path'
import type { GitFolders, GitRunner } from '../../config/git/git-runner.ts'
import { findRepository, sharedFolder, workingFolders } from '../../config/git/repository-folders.ts'
import { ProjectDisk } from './disk.ts'

const TIMEOUT_MS = 30_000
const OPEN = '# gc: what gc wrote for its sessions'
const CLOSE = '# gc: end'

/** A folder of a git repository. */
export class GitFolder {
  private constructor(
    private readonly git: GitRunner,
    private readonly folder: string,
    /** Where the folder lies in its working tree; empty for the top. */
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

  /** Makes git look away from what was put into a tracked file, so that nobody commits it; or look at it again. */
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
export async function writeExcludes(file: string, patterns: readonly string[]): Promise<void> {
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
