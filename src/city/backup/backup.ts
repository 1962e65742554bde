import { lstatSync, mkdtempSync, readdirSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { createFolder, requireNoLinks } from '../../core/folders.ts'
import { gzipTar, type TarSource } from '../../core/tar/index.ts'
import { ArchiveJudge } from './archive-judge.ts'
import { BACKUP_DB, isCityFolder, isDerived, MANIFEST } from './contents.ts'
import { FORMAT, type Manifest } from './manifest.ts'

const STAGE = 'backup-'
const MAX_NAMES = 100

/** Writes a running city into one gzipped tar file. */
export class Backup {
  constructor(
    private readonly context: CityContext,
    private readonly dependencies: {
      name: string
      path: string
      version: string
      onBackup?(file: string | undefined): void
    },
  ) {}

  /** Streams the file; the database in it is as it was when this was called. `file` is where the caller keeps it. */
  async stream(file?: string): Promise<ReadableStream<Uint8Array>> {
    const stage = this.#stage()
    try {
      await this.context.store.files.backup(join(stage, BACKUP_DB))
      const { files, leftOut } = await listCityFiles(this.dependencies.path)
      const manifest = JSON.stringify(this.#manifest(leftOut.slice(0, MAX_NAMES)))
      writeFileSync(join(stage, MANIFEST), manifest, { mode: 0o600 })
      const own = [MANIFEST, BACKUP_DB].map((name) => ({ name, path: join(stage, name) }))
      return gzipTar([...own, ...files], (error) => {
        rmSync(stage, { recursive: true, force: true })
        if (!error) this.dependencies.onBackup?.(file)
      })
    } catch (error) {
      rmSync(stage, { recursive: true, force: true })
      throw error
    }
  }

  /** Removes what a backup interrupted by a crash left. */
  removeStages(): void {
    const folder = join(this.dependencies.path, '.gc')
    for (const name of readdirSync(folder)) {
      if (name.startsWith(STAGE)) rmSync(join(folder, name), { recursive: true, force: true })
    }
  }

  #manifest(left_out: string[]): Manifest {
    const { clock } = this.context
    const { name, path, version } = this.dependencies
    return { format: FORMAT, city: name, path, version, at: toTimestamp(clock.now()), left_out }
  }

  /** Creates a folder for the files that exist only in the backup. */
  #stage(): string {
    requireNoLinks(this.dependencies.path, '.gc')
    const stage = mkdtempSync(join(this.dependencies.path, '.gc', STAGE))
    createFolder(join(stage, '.gc'))
    return stage
  }
}

/** The files of a city that go into its backup, and the names of those that do not. */
interface CityFiles {
  readonly files: TarSource[]
  readonly leftOut: string[]
}

const MAX_FILES = 150_000

/** Lists the files of a city. Links are not followed: a session may have put them there. */
async function listCityFiles(city: string): Promise<CityFiles> {
  const files: TarSource[] = []
  const leftOut: string[] = []
  const judge = new ArchiveJudge({ maxBytes: Number.MAX_SAFE_INTEGER, skipUnknown: true })
  for (const name of [BACKUP_DB, MANIFEST]) judge.accepts({ name, type: '0', size: 0, mode: 0 })
  const isRestorable = (name: string) => judge.accepts({ name, type: '0', size: 0, mode: 0 })
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of (await readdir(join(city, folder))).sort()) {
      const name = folder ? `${folder}/${entry}` : entry
      const path = join(city, name)
      const kind = kindOf(lstatSync(path, { throwIfNoEntry: false }))
      if (kind === 'folder' && isCityFolder(name)) waiting.push(name)
      else if (kind === 'file' && isRestorable(name)) files.push({ name, path })
      else if (kind !== 'gone' && !isDerived(name)) leftOut.push(name)
    }
    if (files.length > MAX_FILES) throw tooMany()
  }
  return { files, leftOut }
}

function kindOf(stats: Stats | undefined): 'file' | 'folder' | 'other' | 'gone' {
  if (!stats) return 'gone'
  if (stats.isFile()) return 'file'
  return stats.isDirectory() ? 'folder' : 'other'
}

const tooMany = (): AppError =>
  new AppError(
    'conflict-wrong-state',
    `the city has more than ${MAX_FILES} files; move what its agents do not need out of its folder`,
  )
