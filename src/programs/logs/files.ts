import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Files that agents' programs write are never read through a symbolic link or from a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Opens a regular file; undefined when it does not exist or cannot be read. */
export async function openFile(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, FLAGS).catch(ignoreMissing)
  if (!file || ((await file.stat()).isFile() && staysPrivate(path, file.fd))) return file
  await file.close()
  return undefined
}

/** Opens a regular file for one use; undefined when it does not exist or cannot be read. */
export function withFile<T>(path: string, use: (file: number, size: number) => T): T | undefined {
  let file: number | undefined
  try {
    file = openSync(path, FLAGS)
    const stats = fstatSync(file)
    return stats.isFile() && staysPrivate(path, file) ? use(file, stats.size) : undefined
  } catch (error) {
    return ignoreMissing(error)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** True if a path is a regular file, not a link to one. */
export const isFile = (path: string): boolean =>
  (lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false) && staysPrivate(path)

/** The private folder of a confined session, which its program can change as it likes: the first, since it can make others in it. */
const PRIVATE = /^.*?\/\.gc\/confined\/[^/]+(?=\/)/

/**
 * True if what a path of a confined session leads to is still that session's: a folder on the way could be a link out.
 */
function staysPrivate(path: string, file?: number): boolean {
  const root = PRIVATE.exec(path)?.[0]
  if (root === undefined) return true
  const opened = file === undefined || process.platform !== 'linux' ? undefined : readlinkSync(`/proc/self/fd/${file}`)
  return (opened ?? realpathSync(path)).startsWith(`${realpathSync(root)}/`)
}

const MISSING_CODES: ReadonlySet<unknown> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'ELOOP',
  'ENXIO',
  'EISDIR',
])

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && MISSING_CODES.has(error.code)) return undefined
  throw error
}
