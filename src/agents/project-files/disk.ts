import { createHash, randomBytes } from 'node:crypto'
import { chmod, lstat, readlink, rename, rm, rmdir, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { requireNoLinks } from '../../core/folders.ts'
import { HeldFolder } from '../../core/held-folder.ts'
import { readPlainFile } from '../../core/plain-file.ts'

/** What is at one place of a project. */
export type ExistingFile =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'other' }

const MAX_BYTES = 8 * 1024 * 1024

/**
 * Reads and writes a project's folder, a place without links on the way, and nothing through links in it: sessions that work
 * there may put one anywhere at any time.
 */
export class ProjectDisk {
  constructor(readonly folder: string) {}

  async find(path: string): Promise<ExistingFile> {
    using held = this.#hold(path)
    const file = held?.at(basename(path))
    const stats = file === undefined ? undefined : await lstat(file).catch(() => undefined)
    if (!stats || file === undefined) return { kind: 'nothing' }
    if (stats.isSymbolicLink()) return { kind: 'link', target: await readlink(file) }
    const bytes = readPlainFile(file, MAX_BYTES)
    return bytes ? { kind: 'file', bytes, mode: stats.mode & 0o777 } : { kind: 'other' }
  }

  /** Puts a file in its place at once, so that no program sees half of it. */
  async write(path: string, bytes: Uint8Array, mode: number): Promise<void> {
    await this.#replace(path, async (temporary) => {
      await writeFile(temporary, bytes, { flag: 'wx', mode })
      await chmod(temporary, mode)
    })
  }

  async link(path: string, target: string): Promise<void> {
    await this.#replace(path, (temporary) => symlink(target, temporary))
  }

  /** Removes a file, and the folders that are empty without it. */
  async remove(path: string): Promise<void> {
    using held = this.#hold(path)
    if (held) await rm(held.at(basename(path)), { force: true })
    for (let at = dirname(path); at !== '.'; at = dirname(at)) {
      using parent = this.#hold(at)
      const isGone = await rmdir(parent?.at(basename(at)) ?? '').then(
        () => true,
        () => false,
      )
      if (!isGone) return
    }
  }

  /** The folder that has a path; undefined where it is not there. */
  #hold(path: string, { make = false } = {}): HeldFolder | undefined {
    requireNoLinks(this.folder, dirname(path))
    using folder = HeldFolder.find(this.folder)
    return folder?.below(dirname(path), { make })
  }

  async #replace(path: string, make: (temporary: string) => Promise<void>): Promise<void> {
    using held = this.#hold(path, { make: true })
    if (!held) throw new AppError('conflict-wrong-state', `${join(this.folder, dirname(path))} is no folder`)
    const temporary = held.at(`.gc-${randomBytes(6).toString('hex')}`)
    try {
      await make(temporary)
      await rename(temporary, held.at(basename(path)))
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }
}

/** What tells one state of a place from another. */
export function hashOf(existing: ExistingFile): string | undefined {
  if (existing.kind === 'file') return digest(existing.bytes)
  return existing.kind === 'link' ? digest(Buffer.from(existing.target)) : undefined
}

export const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
