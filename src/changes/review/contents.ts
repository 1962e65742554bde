import type { Repository, Snapshots } from '../../agents/worktrees/index.ts'
import { gitErrorMessage } from '../../config/git/index.ts'
import { AppError } from '../../core/errors.ts'
import { RecentValues } from '../../core/recent-values.ts'
import { Diffs, type FileChange } from '../diffs/index.ts'
import { type RankedFile, rankChanges } from '../risk/index.ts'
import type { ChangeView } from './schema.ts'
import type { ChangeRow, CommentRow } from './table.ts'

const MAX_COMMITS = 100
const TIMEOUT_MS = 20_000
/** A file that is larger is not quoted. */
const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_QUOTED_LINES = 50
const MAX_QUOTED = 4 * 1024
const MAX_LINE = 400
/** As many changes keep the order of their files. */
const MAX_RANKED = 20
/** Diffs of as many rigs are kept open. */
const MAX_OPEN = 20

/** Lines of a file of a commit. */
export interface Lines {
  readonly commit: string
  readonly path: string
  readonly line: number
  readonly endLine: number
}

/** The places of commented lines in the newest commit of a change. */
export type Located = { readonly path: string; readonly line: number } | undefined

/** The contents of changes, read from gc's own repositories of the rigs. */
export class ChangeContents {
  readonly #open = new RecentValues<string, Diffs>(MAX_OPEN, () => 1)

  readonly #ranked = new RecentValues<string, Promise<readonly RankedFile[]>>(MAX_RANKED, () => 1)

  constructor(private readonly snapshots: Pick<Snapshots, 'repositoryOf'>) {}

  /** Reads diffs of the rig of a change; throws once its commits are not kept any more. */
  diffs(row: ChangeRow): Diffs {
    const repository = this.#repository(row)
    const open = this.#open.get(row.rig) ?? new Diffs(repository)
    this.#open.set(row.rig, open)
    return open
  }

  async commits(row: ChangeRow): Promise<Pick<ChangeView, 'commits' | 'commits_total'>> {
    const range = `${row.base}..${row.head}`
    const repository = this.#repository(row)
    const log = [
      'log',
      '--no-show-signature',
      '--no-color',
      '--format=%H%x09%s',
      '-n',
      String(MAX_COMMITS),
      range,
      '--',
    ]
    const lines = (await repository.read(log, { timeout: TIMEOUT_MS })).split('\n').filter(Boolean)
    const commits = lines.map((line) => ({
      id: line.slice(0, line.indexOf('\t')),
      subject: line.slice(line.indexOf('\t') + 1),
    }))
    return { commits, commits_total: commits.length < MAX_COMMITS ? commits.length : await repository.count(range) }
  }

  /** The lines that a comment is about; throws where the file has none such. */
  async quote(row: ChangeRow, { commit, path, line, endLine }: Lines): Promise<string> {
    const repository = this.#repository(row)
    const options = { timeout: TIMEOUT_MS, maxOutput: MAX_FILE_BYTES }
    const { exitCode, exceeded, stdout } = await repository.execute(['cat-file', 'blob', `${commit}:${path}`], options)
    if (exitCode !== 0 && exceeded === undefined) {
      await requireCommit(repository, commit)
      throw new AppError('validation-failed', `there is no file ${path} in commit ${commit.slice(0, 12)}`)
    }
    const lines = stdout.split('\n')
    if (lines.at(-1) === '' && exceeded === undefined) lines.pop()
    if (endLine > lines.length) {
      throw new AppError('validation-failed', `${path} has ${lines.length} lines; there is no line ${endLine}`)
    }
    const quoted = lines.slice(line - 1, Math.min(endLine, line - 1 + MAX_QUOTED_LINES))
    return quoted.map(cutLine).join('\n').slice(0, MAX_QUOTED)
  }

  /** The place of a comment's lines now; undefined if they are gone or changed. */
  locate(row: ChangeRow, { commit, path, line, quoted, side }: CommentRow): Promise<Located> {
    const now = (side === 'new' ? row.head : row.base) ?? commit
    if (now === commit) return Promise.resolve({ path, line })
    return this.diffs(row).locate({ path, line, quoted }, commit, now)
  }

  /** The files of a change, those that deserve attention first, with the reasons. */
  async files(row: ChangeRow): Promise<(FileChange & { reasons?: string[] })[]> {
    const [{ items }, ranked] = await Promise.all([
      this.diffs(row).files(row.base ?? '', row.head ?? ''),
      this.ranked(row),
    ])
    const files = new Map(items.map((file) => [file.path, file]))
    return ranked.flatMap(({ path, reasons }) => {
      const file = files.get(path)
      return file ? [{ ...file, ...(reasons.length > 0 && { reasons: [...reasons] }) }] : []
    })
  }

  /** The order of the files of a change by what deserves attention. */
  ranked(row: ChangeRow): Promise<readonly RankedFile[]> {
    const [base, head] = [row.base ?? '', row.head ?? '']
    const key = `${row.rig} ${base} ${head}`
    const known = this.#ranked.get(key)
    if (known) return known
    const ranking = rankChanges(this.diffs(row), base, head)
    this.#ranked.set(key, ranking)
    ranking.catch(() => this.#ranked.delete(key))
    return ranking
  }

  /** True if gc still has the commits of a change. */
  isKept({ rig, pinned }: ChangeRow): boolean {
    return pinned && this.snapshots.repositoryOf(rig) !== undefined
  }

  /** gc's own repository of the rig, which has the commits of a change for as long as they are kept. */
  #repository({ id, rig, pinned }: ChangeRow): Repository {
    const repository = pinned ? this.snapshots.repositoryOf(rig) : undefined
    if (repository) return repository
    throw new AppError(
      'conflict-wrong-state',
      `the commits of ${id} are gone: gc keeps those of a decided change for 30 days`,
    )
  }
}

/** Throws where the repository itself is at fault for what it does not find. */
async function requireCommit(repository: Repository, commit: string): Promise<void> {
  const result = await repository.execute(['rev-parse', '--verify', '--quiet', `${commit}^{tree}`], {
    timeout: TIMEOUT_MS,
  })
  if (result.exitCode === 0) return
  throw new AppError(
    'service-unavailable',
    `commit ${commit.slice(0, 12)} cannot be read in ${repository.path}: ${gitErrorMessage(result)}`,
  )
}

const cutLine = (line: string): string => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line).toWellFormed()
