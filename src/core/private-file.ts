import { randomBytes } from 'node:crypto'
import { renameSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from './folders.ts'

/**
 * Writes a file that only its owner can read, whole or not at all, and sees to it that it is on disk. False, and nothing
 * changed, when `isCurrent` says at the end that the file is no longer what the content was made from.
 */
export async function writePrivateFile(
  path: string,
  content: string | Uint8Array,
  isCurrent = () => true,
): Promise<boolean> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    if (!isCurrent()) return false
    renameSync(temporary, path)
    syncFolder(dirname(path))
    return true
  } finally {
    await rm(temporary, { force: true })
  }
}
