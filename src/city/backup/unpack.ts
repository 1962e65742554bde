import { chmodSync, fstatSync, mkdirSync, statfsSync, statSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { AppError, errorMessage, hasCode } from '../../core/errors.ts'
import { syncFolder } from '../../core/folders.ts'
import { readTar, type TarEntry } from '../../core/tar/index.ts'
import { ArchiveJudge, type Verdict } from './archive-judge.ts'
import { MANIFEST } from './contents.ts'
import { type Manifest, parseManifest } from './manifest.ts'

interface UnpackOptions {
  /** Skips links and files that no city has, instead of rejecting the archive for them. */
  readonly skipUnknown: boolean
  readonly signal: AbortSignal
}

/** Facts about a backup after all of it was read. */
export interface CheckedBackup {
  readonly manifest: Manifest
  /** The names of what is not unpacked. */
  readonly skipped: readonly string[]
}

/** No text or database shrinks more than this; what does is made to fill a disk. */
const MAX_RATIO = 200
const ALWAYS_ALLOWED_BYTES = 64 * 2 ** 20

/** A backup that is open for reading. */
export class BackupFile implements AsyncDisposable {
  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
  ) {}

  static async open(path: string): Promise<BackupFile> {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats?.isFile()) throw new AppError('invalid-request', `there is no file ${path}`)
    const file = await open(path, 'r').catch((error) => {
      throw new AppError('invalid-request', `${path} cannot be read: ${errorMessage(error)}`)
    })
    return new BackupFile(path, file)
  }

  /** Reads the whole file and judges everything in it before it may be unpacked into a folder. */
  async check(options: UnpackOptions, folder: string): Promise<CheckedBackup> {
    const skipped: string[] = []
    const manifest: Uint8Array[] = []
    await this.#walk(options, folder, async ({ kind, name }, entry) => {
      if (kind === 'skip') skipped.push(name)
      if (kind === 'file' && name === MANIFEST) for await (const chunk of entry.content()) manifest.push(chunk)
    })
    return { skipped, manifest: parseManifest(Buffer.concat(manifest).toString('utf8')) }
  }

  /** Writes what is in it into a new folder, and puts that on disk. */
  async unpack(options: UnpackOptions, folder: string): Promise<void> {
    mkdirSync(folder, { mode: 0o700 })
    const folders = new Set([folder])
    await this.#walk(options, folder, async ({ kind, name }, entry) => {
      if (kind === 'skip' || name === MANIFEST) return
      const path = join(folder, name)
      const parent = kind === 'folder' ? path : dirname(path)
      await mkdir(parent, { recursive: true, mode: 0o700 })
      for (let at = parent; at !== folder; at = dirname(at)) folders.add(at)
      if (kind === 'file') await writeFile(path, name, entry)
    })
    for (const each of folders) syncFolder(each)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.file.close()
  }

  async #walk(
    { skipUnknown, signal }: UnpackOptions,
    folder: string,
    visit: (verdict: Verdict, entry: TarEntry) => Promise<void>,
  ): Promise<void> {
    const judge = new ArchiveJudge({ skipUnknown, maxBytes: this.#maxBytes(folder) })
    try {
      for await (const entry of readTar(this.#bytes())) {
        signal.throwIfAborted()
        await visit(judge.judge(entry), entry)
      }
    } catch (error) {
      if (error instanceof AppError || signal.aborted) throw error
      const why = isDamaged(error) ? 'it is damaged, or no backup of gc' : errorMessage(error)
      throw new AppError('invalid-request', `${this.path} cannot be unpacked: ${why}`)
    }
    judge.finish()
  }

  /** Unpacked contents from the start. */
  #bytes(): AsyncIterable<Uint8Array> {
    const source = this.file.createReadStream({ start: 0, autoClose: false })
    const gunzip = createGunzip()
    // The reader of the last stream gets the error of any.
    pipeline(source, gunzip, () => {})
    return gunzip
  }

  #maxBytes(folder: string): number {
    const { bavail, bsize } = statfsSync(existingParent(folder))
    const likely = fstatSync(this.file.fd).size * MAX_RATIO + ALWAYS_ALLOWED_BYTES
    return Math.min(bavail * bsize, likely)
  }
}

async function writeFile(path: string, name: string, entry: TarEntry): Promise<void> {
  const isState = name.startsWith('.gc/')
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of entry.content()) await file.writeFile(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
  if (!isState) chmodSync(path, entry.mode & 0o100 ? 0o755 : 0o644)
}

function existingParent(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    try {
      statfsSync(at)
      return at
    } catch (error) {
      if (at === dirname(at)) throw error
    }
  }
}

/** True if what was read is not compressed as a backup is, or not all of it is there. */
const isDamaged = (error: unknown): boolean => hasCode(error, 'Z_DATA_ERROR', 'Z_BUF_ERROR')
