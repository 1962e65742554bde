import type { FileHandle } from 'node:fs/promises'
import type { Since } from '../entries/log-reader.ts'
import { turn } from '../entries/slices.ts'
import { openFile } from './files.ts'

/** A whole line of a file. */
export interface Line {
  readonly offset: number
  readonly size: number
  readonly text: string
}

/** How a file was found when its new lines were read. */
export interface Reading {
  /** The file is not the one that was read before: the lines are its first. */
  readonly fresh: boolean
  /** There may be more of it. */
  readonly more: boolean
}

/** Takes lines as they are read; what follows waits for it. */
export type TakeLines = (lines: readonly Line[], fresh: boolean) => void

export interface LineBounds {
  /** So many bytes are read at a time. */
  readonly window: number
  /** So many bytes from its end are read at first; a window when not given. */
  readonly first?: number
  /** Up to where the file was read before, by a reader that is gone; what is behind it is read at first. */
  readonly since?: Since | undefined
  /** Whether what came since is passed over where it is more than that, and only its end read. */
  readonly skips?: boolean
}

/** Between two pieces of this size others have their turn. */
const CHUNK = 128 * 1024
/** A longer line is passed over. */
const LONGEST = 16 * 1024 * 1024
/** So many bytes before the place where reading stopped tell whether the file is still the same. */
const MARK = 64

/** Up to where a file was read. */
interface Place {
  readonly identity: string
  readonly offset: number
  readonly mark: Buffer
  /** Whether what stands at the place is the rest of a line whose beginning was left out. */
  readonly cut: boolean
  /** Lines that were too long. */
  readonly skipped: number
  /** Whether the beginning of the file was left out. */
  readonly truncated: boolean
}

const NOWHERE: Place = {
  ...{ identity: '', offset: 0, mark: Buffer.alloc(0), cut: false, skipped: 0, truncated: false },
}

/** Reads the lines of a growing file: at first those at its end, then what is added. */
export class LineFile {
  #place = NOWHERE

  constructor(
    readonly path: string,
    private readonly bounds: LineBounds,
  ) {}

  /** Which file was read last. */
  get identity(): string {
    return this.#place.identity
  }

  get truncated(): boolean {
    return this.#place.truncated
  }

  get skipped(): number {
    return this.#place.skipped
  }

  /** Gives the lines that are new, a chunk of the file at a time; undefined while there is no file. */
  async read(take: TakeLines): Promise<Reading | undefined> {
    const file = await openFile(this.path)
    if (!file) return undefined
    try {
      const { ino, dev, size } = await file.stat()
      const same = await this.#isSame(file, `${dev}:${ino}`, size)
      const from = same ? this.#place : await this.#start(file, `${dev}:${ino}`, size)
      const { place, more } = await lines(file, from, this.bounds.window, (found) => take(found, !same))
      this.#place = place
      return { fresh: !same, more }
    } finally {
      await file.close()
    }
  }

  async #isSame(file: FileHandle, identity: string, size: number): Promise<boolean> {
    const { identity: before, offset, mark } = this.#place
    if (identity !== before || size < offset) return false
    if (this.bounds.skips && size - offset > this.bounds.window) return false
    return (await chunkAt(file, offset - mark.length, mark.length)).equals(mark)
  }

  async #start(file: FileHandle, identity: string, size: number): Promise<Place> {
    const { window, first = window, since } = this.bounds
    const goesOn = this.#place === NOWHERE && since?.file === identity && since.offset <= size
    const offset = goesOn ? since.offset : Math.max(0, size - first)
    const cut = offset > 0 && (await chunkAt(file, offset - 1, 1))[0] !== 10
    return { ...NOWHERE, identity, offset, cut, truncated: offset > 0 }
  }
}

/** Reads about so many bytes, but one line at least where there is one; tells the place behind the last whole line. */
async function lines(file: FileHandle, from: Place, most: number, take: (lines: Line[]) => void) {
  let { offset, cut, skipped } = from
  /** The beginning of a line, in pieces, whose end was not seen yet. */
  let open: Buffer[] = []
  let length = 0
  let next = offset
  let chunk = await chunkAt(file, next, CHUNK)
  for (; chunk.length > 0; chunk = await chunkAt(file, next, CHUNK)) {
    if (next >= from.offset + most && offset > from.offset) break
    next += chunk.length
    const found: Line[] = []
    let at = 0
    for (let stop = chunk.indexOf(10); stop >= 0; stop = chunk.indexOf(10, at)) {
      const bytes = joined(open, chunk.subarray(at, stop))
      if (!cut && bytes.length > 0) found.push({ offset, size: bytes.length, text: bytes.toString('utf8') })
      offset += length + stop + 1 - at
      open = []
      length = 0
      cut = false
      at = stop + 1
    }
    open.push(chunk.subarray(at))
    length += chunk.length - at
    if (length > LONGEST) {
      if (!cut) skipped++
      offset += length
      open = []
      length = 0
      cut = true
    }
    if (found.length > 0) take(found)
    await turn()
  }
  const more = chunk.length > 0
  const last = joined(open, Buffer.alloc(0))
  if (!cut && !more && isWhole(last)) {
    take([{ offset, size: last.length, text: last.toString('utf8') }])
    offset += last.length
  }
  const mark = await chunkAt(file, Math.max(0, offset - MARK), Math.min(MARK, offset))
  return { place: { ...from, offset, mark, cut, skipped }, more }
}

const joined = (open: readonly Buffer[], end: Buffer): Buffer =>
  open.length === 0 ? end : Buffer.concat([...open, end])

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
  if (length === 0) return Buffer.alloc(0)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}
