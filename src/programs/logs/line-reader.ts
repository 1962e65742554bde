import type { FileHandle } from 'node:fs/promises'
import { nextTick } from '../../core/event-loop.ts'
import { openFile } from './files.ts'
import type { FilePosition } from './log-reader.ts'

/** A complete line of a file. */
export interface Line {
  readonly offset: number
  readonly size: number
  readonly text: string
}

/** The result of reading the new lines of a file. */
export interface ReadResult {
  /** True if the file is not the one that was read before, so that these are its first lines. */
  readonly isNewFile: boolean
  /** True if there may be more to read. */
  readonly hasMore: boolean
}

/** Receives lines as they are read; reading waits until it returns. */
export type LineConsumer = (lines: readonly Line[], isNewFile: boolean) => void

export interface LineReaderOptions {
  /** Bytes that one call reads. */
  readonly windowBytes: number
  /** Bytes before its end from which a file is first read; default is a window. */
  readonly initialBytes?: number
  /** End of an earlier reader; the first read resumes there. */
  readonly resumeFrom?: FilePosition | undefined
  /** True if only the end of the file is read when more than a window was added to it. */
  readonly skipsToEnd?: boolean
}

const CHUNK_BYTES = 128 * 1024
/** A longer line is skipped. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
/** Bytes before the last position that are compared to detect a replaced file. */
const MARK_BYTES = 64
const LINE_FEED = 10
const CLOSING_BRACE = 125

/** Read position of a file. */
interface ReadState {
  readonly identity: string
  readonly offset: number
  readonly mark: Buffer
  /** True if the offset is inside a line whose beginning was left out. */
  readonly startsMidLine: boolean
  /** Number of lines that were too long. */
  readonly skipped: number
  /** True if the beginning of the file was left out. */
  readonly truncated: boolean
}

const INITIAL_STATE: ReadState = {
  identity: '',
  offset: 0,
  mark: Buffer.alloc(0),
  startsMidLine: false,
  skipped: 0,
  truncated: false,
}

/** Reads the lines of a growing file: at first those at its end, then those that are added. */
export class LineReader {
  #state = INITIAL_STATE

  constructor(
    readonly path: string,
    private readonly options: LineReaderOptions,
  ) {}

  /** Identifies the file that was read last. */
  get identity(): string {
    return this.#state.identity
  }

  get truncated(): boolean {
    return this.#state.truncated
  }

  get skipped(): number {
    return this.#state.skipped
  }

  /** Passes on the new lines, a chunk of the file at a time; undefined while there is no file: all of it is new once it is back. */
  async read(consume: LineConsumer): Promise<ReadResult | undefined> {
    const file = await openFile(this.path)
    if (!file) {
      if (this.#state !== INITIAL_STATE) this.#state = { ...INITIAL_STATE }
      return undefined
    }
    try {
      const { ino, dev, size } = await file.stat()
      const isSame = await this.#isSame(file, `${dev}:${ino}`, size)
      const from = isSame ? this.#state : await this.#start(file, `${dev}:${ino}`, size)
      const { state, hasMore } = await readLines(file, from, this.options.windowBytes, (lines) =>
        consume(lines, !isSame),
      )
      this.#state = state
      return { isNewFile: !isSame, hasMore }
    } finally {
      await file.close()
    }
  }

  async #isSame(file: FileHandle, identity: string, size: number): Promise<boolean> {
    const { identity: lastIdentity, offset, mark } = this.#state
    if (identity !== lastIdentity || size < offset) return false
    if (this.options.skipsToEnd && size - offset > this.options.windowBytes) return false
    return (await readChunk(file, offset - mark.length, mark.length)).equals(mark)
  }

  async #start(file: FileHandle, identity: string, size: number): Promise<ReadState> {
    const { windowBytes, initialBytes = windowBytes, resumeFrom } = this.options
    const resumes = this.#state === INITIAL_STATE && resumeFrom?.file === identity && resumeFrom.offset <= size
    const offset = resumes ? resumeFrom.offset : Math.max(0, size - initialBytes)
    const startsMidLine = offset > 0 && (await readChunk(file, offset - 1, 1))[0] !== LINE_FEED
    return { ...INITIAL_STATE, identity, offset, startsMidLine, truncated: offset > 0 }
  }
}

/** Reads about `maxBytes`, but at least one line where there is one, and returns the state after the last line. */
async function readLines(
  file: FileHandle,
  from: ReadState,
  maxBytes: number,
  consume: (lines: Line[]) => void,
): Promise<{ state: ReadState; hasMore: boolean }> {
  let { offset, startsMidLine, skipped } = from
  /** The pieces of a line whose end was not read yet. */
  let pieces: Buffer[] = []
  let length = 0
  let next = offset
  let chunk = await readChunk(file, next, CHUNK_BYTES)
  for (; chunk.length > 0; chunk = await readChunk(file, next, CHUNK_BYTES)) {
    if (next >= from.offset + maxBytes && offset > from.offset) break
    next += chunk.length
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const bytes = concat(pieces, chunk.subarray(start, end))
      if (!startsMidLine && bytes.length > 0) lines.push({ offset, size: bytes.length, text: bytes.toString('utf8') })
      offset += length + end + 1 - start
      pieces = []
      length = 0
      startsMidLine = false
      start = end + 1
    }
    pieces.push(chunk.subarray(start))
    length += chunk.length - start
    if (length > MAX_LINE_BYTES) {
      if (!startsMidLine) skipped++
      offset += length
      pieces = []
      length = 0
      startsMidLine = true
    }
    if (lines.length > 0) consume(lines)
    await nextTick()
  }
  const hasMore = chunk.length > 0
  const last = concat(pieces, Buffer.alloc(0))
  if (!startsMidLine && !hasMore && isCompleteJson(last)) {
    consume([{ offset, size: last.length, text: last.toString('utf8') }])
    offset += last.length
  }
  const mark = await readChunk(file, Math.max(0, offset - MARK_BYTES), Math.min(MARK_BYTES, offset))
  return { state: { ...from, offset, mark, startsMidLine, skipped }, hasMore }
}

const concat = (pieces: readonly Buffer[], end: Buffer): Buffer =>
  pieces.length === 0 ? end : Buffer.concat([...pieces, end])

/** True if a last line without a line feed is complete. */
function isCompleteJson(bytes: Buffer): boolean {
  if (bytes.at(-1) !== CLOSING_BRACE) return false
  try {
    JSON.parse(bytes.toString('utf8'))
    return true
  } catch {
    return false
  }
}

async function readChunk(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  if (length === 0) return Buffer.alloc(0)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
  return buffer.subarray(0, bytesRead)
}
