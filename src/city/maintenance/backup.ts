import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, stamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { makeFolder } from '../../core/folders.ts'
import type { Store } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'

interface Needs {
  name: string
  path: string
  version: string
  store: Store
  clock: Clock
}

/** What a backup says of itself. */
export interface Manifest {
  /** Of this layout. */
  format: 1
  city: string
  /** Where the city was. */
  path: string
  /** The gc that made it. */
  version: string
  at: string
}

export const BACKUP_DB = '.gc/backup.db'
export const MANIFEST = '.gc/backup.json'

const STAGE = 'backup-'
/** What is made anew wherever the city is opened, or stands in the backup under another name. */
const LEFT_OUT = ['city.db*', 'lock*', `${STAGE}*`, 'cache', 'runtime', 'backup.db', 'backup.json']

/** A whole city as one gzipped tar file, made while it runs. */
export class Backup {
  constructor(private readonly needs: Needs) {}

  /** The bytes of the file; the database in it is as it was when this was asked. */
  async stream(caller: Caller): Promise<ReadableStream<Uint8Array>> {
    if (caller.kind === 'session') throw new AppError('forbidden', 'forbidden: a session may not copy its city')
    const stage = this.#stage()
    try {
      await this.needs.store.backup(join(stage, BACKUP_DB))
      writeFileSync(join(stage, MANIFEST), JSON.stringify(this.#manifest()), { mode: 0o600 })
      return packed(this.needs.path, stage)
    } catch (error) {
      rmSync(stage, { recursive: true, force: true })
      throw error
    }
  }

  /** Removes what a backup left that was cut off by a crash. */
  clear(): void {
    const folder = join(this.needs.path, '.gc')
    for (const name of readdirSync(folder)) {
      if (name.startsWith(STAGE)) rmSync(join(folder, name), { recursive: true, force: true })
    }
  }

  #manifest(): Manifest {
    const { name, path, version, clock } = this.needs
    return { format: 1, city: name, path, version, at: stamp(clock.now()) }
  }

  /** A folder for what is written only for the backup. */
  #stage(): string {
    const stage = mkdtempSync(join(this.needs.path, '.gc', STAGE))
    makeFolder(join(stage, '.gc'))
    return stage
  }
}

/** The files of the city and then those of the stage, which goes when all is read or nobody reads on. */
function packed(city: string, stage: string): ReadableStream<Uint8Array> {
  const without = LEFT_OUT.map((name) => `--exclude=./.gc/${name}`)
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
      // 1 says that a file was written to while it was read, which agents do all the time.
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
