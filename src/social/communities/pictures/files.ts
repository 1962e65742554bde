import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '../../../core/folders.ts'
import { writePrivateFile } from '../../../core/private-file.ts'

const NAME = /^[0-9a-f]{40}\.webp$/

/** The folder of the pictures, beside the database. */
export class PictureFiles {
  constructor(readonly folder: string) {}

  /** Stores a picture under a name that only this owner's same picture has. */
  async add(owner: string, bytes: Uint8Array): Promise<string> {
    const hash = new Bun.CryptoHasher('sha256').update(`${owner} `).update(bytes).digest('hex')
    const name = `${hash.slice(0, 40)}.webp`
    createFolder(this.folder)
    if (!existsSync(join(this.folder, name))) await writePrivateFile(join(this.folder, name), bytes)
    return name
  }

  /** The bytes of a picture; undefined when there is none of this name. */
  async read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const file = Bun.file(join(this.folder, name))
    return NAME.test(name) && (await file.exists()) ? file.bytes() : undefined
  }

  remove(name: string): void {
    if (NAME.test(name)) rmSync(join(this.folder, name), { force: true })
  }

  /** The names of all pictures. */
  names(): string[] {
    return existsSync(this.folder) ? readdirSync(this.folder).filter((name) => NAME.test(name)) : []
  }
}
