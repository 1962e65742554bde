import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from '../../agents/worktrees/index.ts'
import { gitErrorMessage } from '../../config/git/index.ts'
import { AppError } from '../../core/errors.ts'

const TIMEOUT_MS = 20_000
/** Maximum size of a file whose lines are compared. */
export const LARGE_BYTES = 8 * 1024 * 1024

/** Paths are literal names, and no program that a repository or a user configures is run. */
const OPTIONS = [
  ...['--no-optional-locks', '--literal-pathspecs'],
  ...['-c', `core.bigFileThreshold=${LARGE_BYTES}`, '-c', 'core.quotePath=true', '-c', 'diff.suppressBlankEmpty=false'],
  ...['-c', 'core.abbrev=no', '-c', 'diff.renames=true', '-c', 'diff.algorithm=histogram'],
]
/** Objects that are missing are not fetched. */
const OFFLINE = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' }

interface DiffGitOptions {
  readonly input?: Uint8Array | ReadableStream<Uint8Array>
  readonly env?: Readonly<Record<string, string>>
  /** Statuses besides 0 that are not failures. */
  readonly allow?: readonly number[]
}

/** Runs git on the commits of changes. */
export class DiffGit {
  constructor(private readonly repository: Repository) {}

  /** Passes output on as it comes, until `take` returns false. */
  async stream(
    args: readonly string[],
    take: (bytes: Uint8Array) => boolean,
    { input, env, allow = [] }: DiffGitOptions = {},
  ): Promise<void> {
    const result = await this.repository.execute([...OPTIONS, ...args], {
      ...{ timeout: TIMEOUT_MS, env: { ...OFFLINE, ...env }, onOutput: take },
      ...(input && { input }),
    })
    if (result.exitCode === 0 || result.exceeded === 'output' || allow.includes(result.exitCode)) return
    const reason = result.exceeded === 'time' ? `took longer than ${TIMEOUT_MS / 1000} s` : gitErrorMessage(result)
    throw new AppError('service-unavailable', `git ${args[0]} in ${this.repository.path}: ${reason}`)
  }

  /** Passes on the fields of output that NUL bytes separate, as latin1, until `take` returns false. */
  async fields(args: readonly string[], take: (field: string) => boolean, options: DiffGitOptions = {}): Promise<void> {
    let held = ''
    await this.stream(
      args,
      (bytes) => {
        const parts = (held + Buffer.from(bytes).toString('latin1')).split('\0')
        held = parts.pop() ?? ''
        return parts.every(take)
      },
      options,
    )
  }

  /** Output as bytes; what exceeds the bound is left out. */
  async output(args: readonly string[], maxBytes: number, options: DiffGitOptions = {}): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    let size = 0
    await this.stream(
      args,
      (bytes) => {
        chunks.push(Uint8Array.from(bytes.subarray(0, maxBytes - size)))
        size += bytes.length
        return size < maxBytes
      },
      options,
    )
    return Buffer.concat(chunks)
  }

  async line(args: readonly string[], input?: Uint8Array): Promise<string> {
    return (await this.output(args, 64 * 1024, input && { input })).toString('utf8').trim()
  }

  /** Stores a tree that differs in some entries, each as `ls-tree` prints it in latin1; mode 0 removes one. */
  async writeTree(tree: string, entries: readonly string[]): Promise<string> {
    const index = join(this.repository.path, `${randomUUID()}.index`)
    const env = { GIT_INDEX_FILE: index }
    const input = Buffer.from(entries.map((entry) => `${entry}\0`).join(''), 'latin1')
    try {
      await this.output(['read-tree', tree], 1024, { env })
      await this.output(['update-index', '-z', '--index-info'], 1024, { env, input })
      return (await this.output(['write-tree'], 1024, { env })).toString('utf8').trim()
    } finally {
      await rm(index, { force: true })
    }
  }
}
