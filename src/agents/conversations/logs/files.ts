import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Files that agents' programs write are never read through a symbolic link or from a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Opens a regular file; undefined when it does not exist or cannot be read. */
export async function openFile(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, FLAGS).catch(ignoreMissing)
  if (!file || (await file.stat()).isFile()) return file
  await file.close()
  return undefined
}

/** Opens a regular file for one use; undefined when it does not exist or cannot be read. */
export function withFile<T>(path: string, use: (file: number, size: number) => T): T | undefined {
  let file: number | undefined
  try {
    file = openSync(path, FLAGS)
    const stats = fstatSync(file)
    return stats.isFile() ? use(file, stats.size) : undefined
  } catch (error) {
    return ignoreMissing(error)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Whether a path is a regular file, not a link to one. */
export const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false

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
