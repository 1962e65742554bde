import { createHash, randomBytes } from 'node:crypto'
import { chmod, lstat, mkdir, readFile, readlink, rename, rm, rmdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { requireNoLinks } from '../../core/folders.ts'

/** What is at one place of a project. */
export type ExistingFile =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'other' }

const MAX_BYTES = 8 * 1024 * 1024

/** Reads and writes a project's folder, and nothing through links in it. */
export class ProjectDisk {
  constructor(readonly folder: string) {}

  async find(path: string): Promise<ExistingFile> {
    const file = join(this.folder, path)
    requireNoLinks(this.folder, dirname(path))
    const stats = await lstat(file).catch(() => undefined)
    if (!stats) return { kind: 'nothing' }
    if (stats.isSymbolicLink()) return { kind: 'link', target: await readlink(file) }
    if (!stats.isFile() || stats.size > MAX_BYTES) return { kind: 'other' }
    return { kind: 'file', bytes: await readFile(file), mode: stats.mode & 0o777 }
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
    requireNoLinks(this.folder, dirname(path))
    await rm(join(this.folder, path), { force: true })
    for (let at = dirname(path); at !== '.'; at = dirname(at)) {
      const isGone = await rmdir(join(this.folder, at)).then(
        () => true,
        () => false,
      )
      if (!isGone) return
    }
  }

  async #replace(path: string, make: (temporary: string) => Promise<void>): Promise<void> {
    requireNoLinks(this.folder, dirname(path))
    const file = join(this.folder, path)
    const temporary = join(dirname(file), `.gc-${randomBytes(6).toString('hex')}`)
    await mkdir(dirname(file), { recursive: true })
    try {
      await make(temporary)
      await rename(temporary, file)
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
