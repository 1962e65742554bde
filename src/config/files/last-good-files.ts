import { readFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { FileSnapshot, type StoredRoot } from './file-snapshot.ts'

/** The files of the last good configuration, as they were read. */
const VERSION = 1

interface LastGoodFiles {
  readonly version: typeof VERSION
  readonly roots: readonly StoredRoot[]
}

/** Keeps the files that a configuration was read from, so that a city can run on them when they are broken. */
export class LastGoodWriter {
  #latest: FileSnapshot | undefined
  #writing: Promise<void> | undefined

  constructor(
    private readonly file: string,
    private readonly report: (message: string) => void,
  ) {}

  /** Writes them soon; of several that come while it writes, the last. */
  keep(snapshot: FileSnapshot): void {
    this.#latest = snapshot
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  /** Resolves when everything is written. */
  async settle(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    while (this.#latest) {
      const snapshot = this.#latest
      this.#latest = undefined
      await this.#writeOne(snapshot)
    }
  }

  async #writeOne(snapshot: FileSnapshot): Promise<void> {
    const temporary = `${this.file}.new`
    const lastGood: LastGoodFiles = { version: VERSION, roots: snapshot.toStored() }
    try {
      await rm(temporary, { force: true })
      // Environments of agents may hold secrets.
      const file = await open(temporary, 'wx', 0o600)
      try {
        await file.writeFile(JSON.stringify(lastGood))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, this.file)
    } catch (error) {
      this.report(`${this.file} could not be written: ${error}`)
    }
  }
}

/** The files that were kept of the city in a folder; undefined when there are none that this gc can read. */
export function readLastGood(file: string, city: string): FileSnapshot | undefined {
  try {
    const lastGood: LastGoodFiles = JSON.parse(readFileSync(file, 'utf8'))
    return lastGood.version === VERSION ? FileSnapshot.ofStored(city, lastGood.roots) : undefined
  } catch {
    return undefined
  }
}
