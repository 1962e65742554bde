import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { createFolder } from '../../core/folders.ts'
import type { Store } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'

interface BackupDependencies {
  name: string
  path: string
  version: string
  store: Store
  clock: Clock
}

/** The manifest of a backup. */
export interface Manifest {
  /** The version of this layout. */
  format: 1
  city: string
  /** The folder of the city. */
  path: string
  /** The version of gc that wrote it. */
  version: string
  at: string
}

export const BACKUP_DB = '.gc/backup.db'
export const MANIFEST = '.gc/backup.json'

const STAGE = 'backup-'
/** Files that are created when the city is opened, or are in the backup under another name. */
const EXCLUDED = ['city.db*', 'lock*', `${STAGE}*`, 'cache', 'runtime', 'backup.db', 'backup.json']

/** Writes a running city into one gzipped tar file. */
export class Backup {
  constructor(private readonly dependencies: BackupDependencies) {}

  /** Streams the file; the database in it is as it was when this was called. */
  async stream(caller: Caller): Promise<ReadableStream<Uint8Array>> {
    if (caller.kind === 'session') throw new AppError('forbidden', 'forbidden: a session may not copy its city')
    const stage = this.#stage()
    try {
      await this.dependencies.store.backup(join(stage, BACKUP_DB))
      writeFileSync(join(stage, MANIFEST), JSON.stringify(this.#manifest()), { mode: 0o600 })
      return tarStream(this.dependencies.path, stage)
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

  #manifest(): Manifest {
    const { name, path, version, clock } = this.dependencies
    return { format: 1, city: name, path, version, at: toTimestamp(clock.now()) }
  }

  /** Creates a folder for the files that exist only in the backup. */
  #stage(): string {
    const stage = mkdtempSync(join(this.dependencies.path, '.gc', STAGE))
    createFolder(join(stage, '.gc'))
    return stage
  }
}

/** The files of the city, then those of the stage, which is removed when the stream ends or is cancelled. */
function tarStream(city: string, stage: string): ReadableStream<Uint8Array> {
  const without = EXCLUDED.map((name) => `--exclude=./.gc/${name}`)
  const files = ['-C', city, '.', '-C', stage, BACKUP_DB, MANIFEST]
  const tar = Bun.spawn(['tar', '-czf', '-', ...without, ...files], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const reader = tar.stdout.getReader()
  const end = () => rmSync(stage, { recursive: true, force: true })
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done) return controller.enqueue(value)
      end()
      // 1 means that a file changed while it was read, which agents do all the time.
      const status = await tar.exited
      if (status > 1) controller.error(new Error(`tar ended with status ${status}`))
      else controller.close()
    },
    cancel() {
      tar.kill()
      end()
    },
  })
}
