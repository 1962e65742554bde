import { type GitResult, gitErrorMessage } from '../../config/git/index.ts'
import { AppError } from '../../core/errors.ts'
import type { Repository } from './repository.ts'
import type { ChangedFile, WorktreeCommit, WorktreeDiff } from './schema.ts'

const TIMEOUT_MS = 20_000
const MAX_COMMITS = 100
const MAX_FILES = 500
/** New files whose text is part of the patch; the others are only listed. */
const MAX_NEW_FILES = 50
/** Lists of files and commits are short; what is longer is cut. */
const MAX_LIST_BYTES = 512 * 1024

/** Shows text as it is stored: no program of the repository or the user compares it. */
const PLAIN = [
  ...['--no-ext-diff', '--no-textconv', '--no-color', '--submodule=short', '--ignore-submodules=dirty'],
  ...['--src-prefix=a/', '--dst-prefix=b/'],
]
/** Objects that are missing are not fetched. */
const OFFLINE = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' }

type Changes = Pick<WorktreeDiff, 'commits' | 'files' | 'files_total' | 'patch' | 'cut'>

/** Changes of a worktree since its base: commits, uncommitted changes and new files. */
export class DiffReader {
  private constructor(
    private readonly repository: Repository,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /**
   * Reads with the filters switched off that the repository's configuration names: git would run them on every changed
   * file. Attributes choose filters by name, so each name is given no program.
   */
  static async open(repository: Repository): Promise<DiffReader> {
    const reader = new DiffReader(repository, OFFLINE)
    const { stdout } = await reader.#run(['config', '--name-only', '-z', '--get-regexp', '^filter\\.'], MAX_LIST_BYTES)
    const names = new Set(entriesOf(stdout).map((key) => key.slice(0, key.lastIndexOf('.'))))
    const settings = [...names].flatMap((name) => [
      ...['clean', 'smudge', 'process'].map((program) => [`${name}.${program}`, ''] as const),
      [`${name}.required`, 'false'] as const,
    ])
    const variables = settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ])
    const count = { GIT_CONFIG_COUNT: String(settings.length) }
    return new DiffReader(repository, { ...OFFLINE, ...count, ...Object.fromEntries(variables) })
  }

  /** A reader of a repository of gc's own, whose configuration names no programs. */
  static plain(repository: Repository): DiffReader {
    return new DiffReader(repository, OFFLINE)
  }

  /** Differences between two commits or trees. */
  async between(from: string, to: string, maxBytes: number): Promise<Omit<Changes, 'commits'>> {
    const [listed, [patch, cut]] = await Promise.all([
      this.#text(['diff', ...PLAIN, '--no-renames', '--numstat', '-z', from, to]),
      this.#patch(['diff', ...PLAIN, from, to], maxBytes),
    ])
    const files = entriesOf(listed).flatMap(toChangedFile)
    return { files: files.slice(0, MAX_FILES), files_total: files.length, patch, cut }
  }

  async read(base: string, maxBytes: number): Promise<Changes> {
    const start = await this.#startOf(base)
    const [commits, tracked, added] = await Promise.all([
      this.#commits(start),
      this.#text(['diff', ...PLAIN, '--no-renames', '--numstat', '-z', start]),
      this.#text(['ls-files', '--others', '--exclude-standard', '-z']),
    ])
    // A folder is a repository of its own, which is not looked into.
    const newFiles = entriesOf(added).filter((path) => !path.endsWith('/'))
    const patches = await this.#patches(start, newFiles, maxBytes)
    const files = [...entriesOf(tracked).flatMap(toChangedFile), ...newFiles.map((path) => ({ path, is_new: true }))]
    return { commits, files: files.slice(0, MAX_FILES), files_total: files.length, ...patches }
  }

  /** The commit where the branch left its base; the base itself, where they have none in common. */
  async #startOf(base: string): Promise<string> {
    const { exitCode, stdout } = await this.#run(['merge-base', base, 'HEAD'], MAX_LIST_BYTES)
    return exitCode === 0 ? stdout.trim() : base
  }

  async #commits(start: string): Promise<WorktreeCommit[]> {
    const format = ['--no-show-signature', '--no-color', '--format=%h%x09%s', '-n', String(MAX_COMMITS)]
    const log = await this.#text(['log', ...format, `${start}..HEAD`])
    const lines = log.split('\n').filter(Boolean)
    return lines.map((line) => ({ id: line.slice(0, line.indexOf('\t')), subject: line.slice(line.indexOf('\t') + 1) }))
  }

  /** The text of all changes, new files last, as far as there is room. */
  async #patches(start: string, newFiles: readonly string[], maxBytes: number) {
    let [patch, cut] = await this.#patch(['diff', ...PLAIN, start], maxBytes)
    for (const path of newFiles.slice(0, MAX_NEW_FILES)) {
      if (cut) break
      const room = maxBytes - Buffer.byteLength(patch)
      const [text, isCut] = await this.#patch(['diff', ...PLAIN, '--no-index', '--', '/dev/null', path], room)
      patch += text
      cut = isCut
    }
    return { patch, cut: cut || newFiles.length > MAX_NEW_FILES }
  }

  /** A patch of at most so many bytes, and whether it continues. */
  async #patch(args: readonly string[], maxBytes: number): Promise<readonly [string, boolean]> {
    const result = await this.#run(args, maxBytes)
    if (result.exceeded === 'output') return [result.stdout.slice(0, result.stdout.lastIndexOf('\n') + 1), true]
    const hasDifferences = args.includes('--no-index') && result.exitCode === 1
    if (result.exitCode !== 0 && !hasDifferences) throw failed(this.repository.path, args, result)
    return [result.stdout, false]
  }

  /** Output of git, cut if too long. */
  async #text(args: readonly string[]): Promise<string> {
    const result = await this.#run(args, MAX_LIST_BYTES)
    if (result.exitCode !== 0 && result.exceeded !== 'output') throw failed(this.repository.path, args, result)
    return result.stdout
  }

  #run(args: readonly string[], maxOutput: number): Promise<GitResult> {
    const options = { timeout: TIMEOUT_MS, maxOutput, env: this.env }
    return this.repository.execute(['--no-optional-locks', ...args], options)
  }
}

function failed(folder: string, args: readonly string[], result: GitResult): AppError {
  const reason = result.exceeded === 'time' ? `took longer than ${TIMEOUT_MS / 1000} s` : gitErrorMessage(result)
  return new AppError('service-unavailable', `git ${args[0]} in ${folder}: ${reason}`)
}

const entriesOf = (list: string): string[] => list.split('\0').filter(Boolean)

/** `12<tab>3<tab>src/a.ts`; a binary file has `-` in place of both numbers. */
function toChangedFile(entry: string): ChangedFile[] {
  const [added, removed, ...path] = entry.split('\t')
  if (added === undefined || removed === undefined || path.length === 0) return []
  const counts = added === '-' ? {} : { added: Number(added), removed: Number(removed) }
  return [{ path: path.join('\t'), ...counts }]
}
