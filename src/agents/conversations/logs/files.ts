import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** What agents' programs write is read only where it lies itself: never through a link, and never from a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Opens a plain file; undefined when there is none that can be read. */
export async function openFile(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, FLAGS).catch(ignoreMissing)
  if (!file || (await file.stat()).isFile()) return file
  await file.close()
  return undefined
}

/** Uses a plain file while it is open; undefined when there is none that can be read. */
export function withFile<T>(path: string, use: (file: number, size: number) => T): T | undefined {
  let file: number | undefined
  try {
    file = openSync(path, FLAGS)
    const found = fstatSync(file)
    return found.isFile() ? use(file, found.size) : undefined
  } catch (error) {
    return ignoreMissing(error)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Whether a path is a plain file itself. */
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
