import { type FileHandle, open, rename } from 'node:fs/promises'
import type { OutputFile } from '../protocol/session.ts'

/** Appends what a command prints to a file; of one that is full, one earlier file is kept. */
export class OutputLog {
  #file: FileHandle | undefined
  #size = 0
  /** Both streams of a command write here. */
  #work: Promise<void> = Promise.resolve()

  constructor(private readonly target: OutputFile) {}

  /** Resolves when the bytes are written, or could not be. A command goes on without its log. */
  write(bytes: Uint8Array): Promise<void> {
    if (bytes.length > 0) this.#work = this.#work.then(() => this.#append(bytes)).catch(() => this.#release())
    return this.#work
  }

  async close(): Promise<void> {
    await this.#work
    await this.#release().catch(() => {})
  }

  async #append(bytes: Uint8Array): Promise<void> {
    const { file, bytes: limit } = this.target
    if (this.#file && this.#size + bytes.length > limit) {
      await this.#release()
      await rename(file, `${file}.old`)
    }
    this.#file ??= await this.#open()
    await this.#file.write(bytes)
    this.#size += bytes.length
  }

  async #open(): Promise<FileHandle> {
    const { file, bytes: limit } = this.target
    const handle = await open(file, 'a', 0o600)
    this.#size = (await handle.stat()).size
    if (this.#size < limit) return handle
    await handle.close()
    await rename(file, `${file}.old`)
    this.#size = 0
    return open(file, 'a', 0o600)
  }

  async #release(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }
}
