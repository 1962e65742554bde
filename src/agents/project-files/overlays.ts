import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { errorMessage } from '../../core/errors.ts'
import { isSharedFile, isTable } from './merge-settings.ts'
import type { WantedBuilder } from './wanted.ts'

/** The folder of an overlay that holds a folder for each program. */
const PER_PROVIDER = 'per-provider'
const MAX_FILES = 5_000
const MAX_BYTES = 64 * 1024 * 1024

/** Folders of `per-provider` that apply: that of the program and those of requested hooks. */
export interface OverlayPrograms {
  readonly name: string
  readonly family: string
  readonly hooks: readonly string[]
}

/** Reads overlays into what a project is to get; later folders win. Those that do not exist are skipped. */
export async function readOverlays(
  folders: readonly string[],
  programs: OverlayPrograms,
  wanted: WantedBuilder,
): Promise<void> {
  const budget = { files: MAX_FILES, bytes: MAX_BYTES }
  const own = await anyHas(folders, programs.name)
  const names = [...new Set([own ? programs.name : programs.family, ...programs.hooks])]
  for (const folder of folders) {
    const reader = new OverlayReader(folder, wanted, budget)
    await reader.read('')
    for (const name of names) await reader.read(join(PER_PROVIDER, name))
  }
}

/** True if an overlay has files of its own for a program. */
export async function anyHas(folders: readonly string[], program: string): Promise<boolean> {
  for (const folder of folders) if (await isFolder(join(folder, PER_PROVIDER, program))) return true
  return false
}

class OverlayReader {
  constructor(
    private readonly folder: string,
    private readonly wanted: WantedBuilder,
    private readonly budget: { files: number; bytes: number },
  ) {}

  /** Reads a folder of the overlay as the top of the project. */
  async read(top: string): Promise<void> {
    const path = join(this.folder, top)
    if (await isFolder(path)) await this.#walk(path, path)
  }

  async #walk(top: string, folder: string): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = join(folder, entry.name)
      const path = relative(top, file)
      if (top === this.folder && (path === PER_PROVIDER || path === '.gc')) continue
      if (path === '.git' || path.endsWith('/.git')) continue
      try {
        if (entry.isDirectory()) await this.#walk(top, file)
        else await this.#take(file, path)
      } catch (error) {
        this.wanted.problems.push(`${file} was not copied: ${errorMessage(error)}`)
      }
    }
  }

  async #take(file: string, path: string): Promise<void> {
    const target = await this.#insideOf(file)
    const { size, mode } = await stat(target)
    this.budget.files--
    this.budget.bytes -= size
    if (this.budget.files < 0 || this.budget.bytes < 0)
      throw new RangeError('overlays hold more than 5,000 files or 64 MB')
    const bytes = await readFile(target)
    if (!isSharedFile(path)) return this.wanted.file(path, bytes, mode & 0o777)
    const settings: unknown = JSON.parse(bytes.toString('utf8'))
    if (!isTable(settings)) throw new TypeError('it is not an object of settings')
    this.wanted.settings(path, settings, file)
  }

  /** A link counts when it leads to a file of the same overlay. */
  async #insideOf(file: string): Promise<string> {
    if ((await lstat(file)).isFile()) return file
    const [root, target] = await Promise.all([realpath(this.folder), realpath(file)])
    if (!target.startsWith(`${root}/`)) throw new TypeError('it is a link that leads out of its overlay')
    if (!(await stat(target)).isFile()) throw new TypeError('it is not a file')
    return target
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}
