import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { createFolder, requireNoLinks } from '../../core/folders.ts'
import type { Store } from '../../core/store.ts'
import { gzipTar } from '../../core/tar/gzip-tar.ts'
import { BACKUP_DB, MANIFEST } from './contents.ts'
import { FORMAT, type Manifest } from './manifest.ts'
import { listCityFiles } from './walk.ts'

interface BackupDependencies {
  name: string
  path: string
  version: string
  store: Store
  clock: Clock
  onBackup?(file: string | undefined): void
}

const STAGE = 'backup-'
const MAX_NAMES = 100

/** Writes a running city into one gzipped tar file. */
export class Backup {
  constructor(private readonly dependencies: BackupDependencies) {}

  /** Streams the file; the database in it is as it was when this was called. `file` is where the caller keeps it. */
  async stream(file?: string): Promise<ReadableStream<Uint8Array>> {
    const stage = this.#stage()
    try {
      await this.dependencies.store.files.backup(join(stage, BACKUP_DB))
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
    const { name, path, version, clock } = this.dependencies
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
