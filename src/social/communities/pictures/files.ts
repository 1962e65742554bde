import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { S3Client } from 'bun'
import { AppError } from '../../../core/errors.ts'
import { createFolder } from '../../../core/folders.ts'
import { writePrivateFile } from '../../../core/private-file.ts'
import type { BucketSettings, PictureSettings } from '../../shared/index.ts'

const NAME = /^[0-9a-f]{40}\.webp$/

/** Storage of the files of pictures. */
export interface PictureFiles {
  /** Stores a picture under its name. */
  add(name: string, bytes: Uint8Array): Promise<void>
  /** The bytes of a picture; undefined when there is none of this name. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>
  remove(name: string): Promise<void>
  /** The names of all pictures, some at a time. */
  names(): AsyncIterable<readonly string[]>
}

/** The files in a folder or a bucket; `folder` is the one of the home. */
export const pictureFiles = (
  settings: PictureSettings | undefined,
  folder: string,
  report: (error: unknown) => void,
): PictureFiles =>
  settings?.bucket ? new PictureBucket(settings.bucket, report) : new PictureFolder(settings?.folder ?? folder)

/** A name that only this owner's same picture has. */
export function pictureName(owner: string, bytes: Uint8Array): string {
  const hash = new Bun.CryptoHasher('sha256').update(`${owner} `).update(bytes).digest('hex')
  return `${hash.slice(0, 40)}.webp`
}

const NAMES_PER_TURN = 500

class PictureFolder implements PictureFiles {
  constructor(private readonly folder: string) {}

  async add(name: string, bytes: Uint8Array): Promise<void> {
    createFolder(this.folder)
    if (!existsSync(join(this.folder, name))) await writePrivateFile(join(this.folder, name), bytes)
  }

  async read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const file = Bun.file(join(this.folder, name))
    return NAME.test(name) && (await file.exists()) ? file.bytes() : undefined
  }

  async remove(name: string): Promise<void> {
    if (NAME.test(name)) rmSync(join(this.folder, name), { force: true })
  }

  async *names(): AsyncIterable<readonly string[]> {
    const all = existsSync(this.folder) ? readdirSync(this.folder).filter((name) => NAME.test(name)) : []
    for (let start = 0; start < all.length; start += NAMES_PER_TURN) yield all.slice(start, start + NAMES_PER_TURN)
  }
}

/** A bucket of a store with the interface of Amazon S3. */
class PictureBucket implements PictureFiles {
  readonly #client: S3Client
  readonly #prefix: string

  constructor(
    { prefix, ...options }: BucketSettings,
    private readonly report: (error: unknown) => void,
  ) {
    this.#client = new S3Client({ ...options, bucket: options.name })
    this.#prefix = prefix
  }

  async add(name: string, bytes: Uint8Array): Promise<void> {
    await this.#ask(() => this.#client.write(this.#prefix + name, bytes, { type: 'image/webp' }))
  }

  async read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (!NAME.test(name)) return undefined
    return this.#ask(async () => {
      try {
        return new Uint8Array(await this.#client.file(this.#prefix + name).arrayBuffer())
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    })
  }

  async remove(name: string): Promise<void> {
    if (NAME.test(name)) await this.#ask(() => this.#client.delete(this.#prefix + name))
  }

  async *names(): AsyncIterable<readonly string[]> {
    for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
      const page = await this.#ask(() =>
        this.#client.list({ prefix: this.#prefix, ...(token !== undefined && { continuationToken: token }) }),
      )
      token = page.nextContinuationToken
      yield (page.contents ?? []).map(({ key }) => key.slice(this.#prefix.length)).filter((name) => NAME.test(name))
    }
  }

  async #ask<Value>(request: () => Promise<Value>): Promise<Value> {
    try {
      return await request()
    } catch (error) {
      this.report(error)
      throw new AppError('service-unavailable', 'the store of pictures does not answer; try again later')
    }
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'NoSuchKey'
