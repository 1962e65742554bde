import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { findRepository, sharedFolder } from '../../../config/git/index.ts'
import { readPlainFile } from '../../../core/plain-file.ts'

const MAX_BYTES = 1024 * 1024
/** `packed-refs` of a repository with very many tags. */
const MAX_REFS_BYTES = 64 * 1024 * 1024
const MAX_LINKS = 5
const MAX_LOG_BYTES = 16 * 1024 * 1024
const MAX_LOGGED = 100
const MAX_SHALLOW = 1000
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** Files that gc reads of a worktree's own repository. It ignores the configuration, which agents write. */
export interface WorktreeSource {
  /** The commit it is on; undefined before the first, or where it cannot be read. */
  readonly head: string | undefined
  readonly branch: string | undefined
  /** Its folder of objects. */
  readonly objects: string | undefined
  /** The commits at which its history ends early. */
  readonly shallow: readonly string[]
  /** Patterns that git ignores there besides `.gitignore`. */
  readonly exclude: Buffer
  /** The index of the session, and its fingerprint. */
  readonly index: { readonly path: string; readonly version: string } | undefined
  /** Commits that it was on, and those that were stashed, newest first. */
  readonly logged: readonly string[]
  /** Returns whether something was fetched. */
  readonly fetched: string
  /** True if only a part of the files is checked out. */
  readonly isSparse: boolean
}

const NOTHING: WorktreeSource = {
  ...{ head: undefined, branch: undefined, objects: undefined, index: undefined },
  ...{ shallow: [], exclude: Buffer.alloc(0), logged: [], fetched: '', isSparse: false },
}

export function readSource(folder: string): WorktreeSource {
  if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) === undefined) return NOTHING
  const own = findRepository(folder)
  if (own === undefined) return NOTHING
  const shared = sharedFolder(own)
  const { commit, branch } = resolveHead(own, shared)
  const shallow = textOf(join(shared, 'shallow')).split('\n').filter(isCommit)
  return {
    head: commit,
    branch,
    objects: join(shared, 'objects'),
    shallow: shallow.slice(0, MAX_SHALLOW),
    exclude: readPlainFile(join(shared, 'info', 'exclude'), MAX_BYTES) ?? Buffer.alloc(0),
    index: fileOf(join(own, 'index')),
    logged: [...loggedIn(join(own, 'logs', 'HEAD')), ...(own === shared ? loggedIn(join(own, 'logs/refs/stash')) : [])],
    fetched: fileOf(join(own, 'FETCH_HEAD'))?.version ?? '',
    isSparse: lstatSync(join(own, 'info', 'sparse-checkout'), { throwIfNoEntry: false }) !== undefined,
  }
}

/** The commit and the branch that a folder is on; undefined where it is in no repository. Reads three small files. */
export function readHead(folder: string): { commit: string | undefined; branch: string | undefined } | undefined {
  const own = findRepository(folder)
  return own === undefined ? undefined : resolveHead(own, sharedFolder(own))
}

/** The commits that a reflog has last. */
function loggedIn(path: string): string[] {
  const lines = (readPlainFile(path, MAX_LOG_BYTES)?.toString('latin1') ?? '').split('\n').slice(-MAX_LOGGED - 1)
  const commits = lines.reverse().flatMap((line) => line.split(' ', 2)[1] ?? [])
  return [...new Set(commits.filter(isCommit))]
}

const isCommit = (text: string): boolean => COMMIT.test(text)

function resolveHead(own: string, shared: string): { commit: string | undefined; branch: string | undefined } {
  let text = textOf(join(own, 'HEAD'))
  let branch: string | undefined
  for (let depth = 0; depth < MAX_LINKS && text.startsWith('ref: '); depth++) {
    const name = text.slice('ref: '.length).trim()
    if (!name.startsWith('refs/') || name.split('/').some((part) => part === '..' || part === '')) break
    branch ??= name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : undefined
    text = textOf(join(shared, name)) || packedRef(shared, name)
  }
  return { commit: isCommit(text) ? text : undefined, branch }
}

function packedRef(shared: string, name: string): string {
  const packed = readPlainFile(join(shared, 'packed-refs'), MAX_REFS_BYTES)?.toString('latin1') ?? ''
  const end = packed.indexOf(` ${Buffer.from(name).toString('latin1')}\n`)
  return end < 0 ? '' : packed.slice(packed.lastIndexOf('\n', end - 1) + 1, end)
}

function fileOf(path: string): WorktreeSource['index'] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() ? { path, version: `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` } : undefined
}

const textOf = (path: string): string => readPlainFile(path, MAX_BYTES)?.toString().trim() ?? ''
