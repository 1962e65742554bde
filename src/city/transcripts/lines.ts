import { type FileHandle, open } from 'node:fs/promises'

/** A whole line of a file. */
export interface Line {
  readonly offset: number
  readonly size: number
  readonly text: string
}

export interface NewLines {
  readonly lines: readonly Line[]
  /** The file is not the one that was read before: these are its first lines. */
  readonly fresh: boolean
}

const CHUNK = 256 * 1024
/** A longer line is passed over. */
const LONGEST = 16 * 1024 * 1024
/** So many bytes before the place where reading stopped tell whether the file is still the same. */
const MARK = 64

/** Reads the lines of a growing file: at first the last `window` bytes, then what is added. */
export class LineFile {
  #identity = ''
  #offset = 0
  #mark: Buffer = Buffer.alloc(0)
  #skipped = 0

  constructor(
    readonly path: string,
    private readonly window: number,
  ) {}

  /** Which file was read last. */
  get identity(): string {
    return this.#identity
  }

  /** Whether the beginning of the file was left out. */
  truncated = false

  /** Lines that were too long. */
  get skipped(): number {
    return this.#skipped
  }

  /** The lines that are new; undefined while there is no file. */
  async read(): Promise<NewLines | undefined> {
    const file = await opened(this.path)
    if (!file) return undefined
    try {
      const { ino, dev, size } = await file.stat()
      const identity = `${dev}:${ino}`
      const same = identity === this.#identity && size >= this.#offset && (await this.#unchanged(file))
      if (!same) this.#start(identity, size)
      const lines = await this.#lines(file, size)
      return { lines, fresh: !same }
    } finally {
      await file.close()
    }
  }

  #start(identity: string, size: number): void {
    this.#identity = identity
    this.#offset = Math.max(0, size - this.window)
    this.#skipped = 0
    this.#mark = Buffer.alloc(0)
    this.truncated = this.#offset > 0
  }

  async #unchanged(file: FileHandle): Promise<boolean> {
    const { length } = this.#mark
    if (length === 0) return true
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, this.#offset - length)
    return bytesRead === length && buffer.equals(this.#mark)
  }

  async #lines(file: FileHandle, size: number): Promise<Line[]> {
    const lines: Line[] = []
    let rest: Buffer = Buffer.alloc(0)
    let at = this.#offset
    let cut = this.truncated && this.#mark.length === 0
    for (let next = at; next < size; ) {
      const chunk = await chunkAt(file, next, Math.min(CHUNK, size - next))
      if (chunk.length === 0) break
      next += chunk.length
      const bytes: Buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
      let from = 0
      for (let end = bytes.indexOf(10, from); end >= 0; end = bytes.indexOf(10, from)) {
        if (!cut && end > from) lines.push({ offset: at, size: end - from, text: bytes.toString('utf8', from, end) })
        cut = false
        at += end + 1 - from
        from = end + 1
      }
      rest = bytes.subarray(from)
      if (rest.length > LONGEST) {
        this.#skipped++
        at += rest.length
        rest = Buffer.alloc(0)
        cut = true
      }
    }
    if (!cut && rest.length > 0 && isWhole(rest)) {
      lines.push({ offset: at, size: rest.length, text: rest.toString('utf8') })
      at += rest.length
    }
    await this.#remember(file, at)
    return lines
  }

  async #remember(file: FileHandle, at: number): Promise<void> {
    this.#offset = at
    const length = Math.min(MARK, at)
    this.#mark = await chunkAt(file, at - length, length)
  }
}

/** A last line that its writer is done with, although it did not end it. */
function isWhole(bytes: Buffer): boolean {
  if (bytes.at(-1) !== 125) return false
  try {
    JSON.parse(bytes.toString('utf8'))
    return true
  } catch {
    return false
  }
}

async function chunkAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}

async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (thrown) {
    if (thrown instanceof Error && /ENOENT|ENOTDIR|EACCES|EPERM/.test(thrown.message)) return undefined
    throw thrown
  }
}
