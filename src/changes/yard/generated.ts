import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import type { ConflictedFile } from './merge.ts'
import type { Scratch } from './scratch.ts'
import type { Yard } from './yard.ts'

const TIMEOUT_MS = 600_000
const MAX_LIST_BYTES = 128 * 1024 * 1024
const MAX_FILES = 1_000
const MAX_BYTES = 64 * 1024 * 1024
/** Conflicts in which each side has one file at the path, or none. */
const REPLACEABLE = ['content', 'add/add', 'binary', 'modify/delete']

/** True if a file of the target can are in for one that is in conflict. */
export const isReplaceable = ({ kind }: ConflictedFile): boolean => REPLACEABLE.includes(kind)

/** The tree of a merge, with the files at these paths as a commit has them; those that it does not have are left out. */
export async function withFilesOf(
  yard: Yard,
  { tree, commit, paths }: { tree: string; commit: string; paths: readonly string[] },
): Promise<string> {
  const git = yard.with({ GIT_INDEX_FILE: join(yard.path, 'generated.index'), GIT_LITERAL_PATHSPECS: '1' })
  await git.run('read-tree', tree)
  const nothing = '0'.repeat(tree.length)
  const lines: string[] = []
  for (const path of paths) {
    const [entry = ''] = (await git.read(['ls-tree', '-z', '--full-tree', commit, '--', path])).split('\0')
    const [mode = '', , object = ''] = entry.slice(0, entry.indexOf('\t')).split(' ')
    lines.push(entry === '' ? `0 ${nothing}\t${path}\0` : `${mode} ${object}\t${path}\0`)
  }
  await git.read(['update-index', '-z', '--index-info'], { input: Buffer.from(lines.join('')) })
  return git.run('write-tree')
}

/** A commit that stands for a tree while its generated files are made, the same for the same tree. */
export const commitOf = (yard: Yard, tree: string): Promise<string> =>
  yard
    .with({ GIT_AUTHOR_DATE: '@0 +0000', GIT_COMMITTER_DATE: '@0 +0000' })
    .run('commit-tree', tree, '-m', 'before files are generated')

/** The tree of a scratch folder as it was checked out, with what a command changed among some files. */
export async function treeWithFiles(scratch: Scratch, globs: readonly string[]): Promise<string> {
  const git = scratch.git
  const patterns = globs.map((glob) => new Bun.Glob(glob))
  const list = async (...args: string[]) =>
    (await git.read(args, { maxOutput: MAX_LIST_BYTES, timeout: TIMEOUT_MS })).split('\0')
  await git.execute(['update-index', '-q', '--refresh'], { timeout: TIMEOUT_MS })
  const found = [
    ...(await list('diff-files', '-z', '--name-only', '--ignore-submodules=all')),
    ...(await list('ls-files', '-z', '--others', '--exclude-standard')),
  ]
  const paths = [...new Set(found)].filter((path) => path !== '' && patterns.some((glob) => glob.match(path)))
  let bytes = 0
  for (const path of paths) {
    const found = lstatSync(join(scratch.folder, path), { throwIfNoEntry: false })
    if (found && !found.isFile()) throw new AppError('invalid-request', `${path} is not a plain file`)
    bytes += found?.size ?? 0
  }
  if (paths.length > MAX_FILES || bytes > MAX_BYTES) {
    throw new AppError('invalid-request', `it made ${paths.length} files of ${bytes} bytes, which is too much`)
  }
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''))
  await git.read(['update-index', '--add', '--remove', '-z', '--stdin'], { input, timeout: TIMEOUT_MS })
  return git.run('write-tree')
}
