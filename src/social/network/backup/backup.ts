import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { toTimestamp } from '../../../core/clock.ts'
import { gzipTar, type TarSource } from '../../../core/tar/index.ts'
import type { NetworkContext } from '../../shared/index.ts'
import { DATABASE, FORMAT, IDENTITY, MANIFEST, PICTURE, PICTURES } from './contents.ts'

const STAGE = '.social-backup-'

/** Writes a running network into one gzipped tar file: its database, its key and its pictures. */
export class NetworkBackup {
  constructor(
    private readonly ctx: NetworkContext /** `GC_HOME`. */,
    private readonly home: string,
  ) {}

  /** Streams the file; the database in it is as it was when this was called. */
  async stream(): Promise<ReadableStream<Uint8Array>> {
    const stage = mkdtempSync(join(this.home, STAGE))
    const end = () => rmSync(stage, { recursive: true, force: true })
    try {
      await this.ctx.store.files.backup(join(stage, DATABASE))
      const manifest = JSON.stringify({ format: FORMAT, at: toTimestamp(this.ctx.clock.now()) })
      writeFileSync(join(stage, MANIFEST), manifest, { mode: 0o600 })
      const own = [MANIFEST, DATABASE].map((name) => ({ name, path: join(stage, name) }))
      return gzipTar([...own, { name: IDENTITY, path: join(this.home, IDENTITY) }, ...this.#pictures()], end)
    } catch (error) {
      end()
      throw error
    }
  }

  /** Removes what a backup interrupted by a crash left. */
  removeStages(): void {
    for (const name of readdirSync(this.home))
      if (name.startsWith(STAGE)) rmSync(join(this.home, name), { recursive: true, force: true })
  }

  #pictures(): TarSource[] {
    const folder = join(this.home, PICTURES)
    if (!existsSync(folder)) return []
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => ({ name: relative(this.home, path), path }))
      .filter(({ name }) => PICTURE.test(name))
  }
}
