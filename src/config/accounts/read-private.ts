import { readFileSync, statSync } from 'node:fs'

const MAX_BYTES = 256 * 1024

/** Reads a file that holds secrets; throws a sentence when it is missing, too large, or can be read by others. */
export function readPrivateFile(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new Error(`there is no file ${path}; make it, or change what names it`)
  if (!stats.isFile() || stats.size > MAX_BYTES) throw new Error(`${path} is not a file of at most 256 KB`)
  const mode = stats.mode & 0o777
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(`${path} can be read by others (mode 0${mode.toString(8)}); run: chmod 600 ${path}`)
  }
  return readFileSync(path, 'utf8')
}
