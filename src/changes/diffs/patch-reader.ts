import type { DiffHunk, DiffLine } from './schema.ts'

/** Longer lines are cut. */
export const MAX_LINE_BYTES = 4096
/** Bytes that a line counts besides its text. */
const LINE_COST = 16
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/s

/** The patch of one file, as git prints it. */
export interface PatchSection {
  /** Object names of both sides, as `index` states them. */
  readonly objects: string
  readonly isBinary: boolean
  readonly hunks: readonly DiffHunk[]
  /** Lines of hunks, those that were skipped included. */
  readonly lines: number
  readonly bytes: number
}

interface PatchReaderOptions {
  /** Lines of hunks that are left out at the start. */
  readonly skip?: number
  /** Text after which no more is read. */
  readonly maxBytes: number
  readonly maxSections?: number
  /** True if the lines of a section are read, by its objects. */
  readonly isWanted?: (objects: string) => boolean
}

interface Section {
  objects: string
  isBinary: boolean
  readonly hunks: DiffHunk[]
  lines: number
  bytes: number
}

/**
 * Reads patches from pieces of git's output and holds no more than the bound. The start of each line gives its kind:
 * names of files, which may hold anything, are not looked at.
 */
export class PatchReader {
  readonly #lines: LineSplitter
  readonly #skip: number
  readonly #maxBytes: number
  readonly #complete: PatchSection[] = []
  #section: Section | undefined
  #hunk: DiffHunk | undefined
  #old = 0
  #new = 0
  #bytes = 0
  #isFull = false
  #isSkipped = false

  constructor(private readonly options: PatchReaderOptions) {
    this.#skip = options.skip ?? 0
    this.#maxBytes = options.maxBytes
    this.#lines = new LineSplitter((line, length) => this.#read(line, length))
  }

  /** Takes a piece of output; false once the bound is reached. */
  take = (bytes: Uint8Array): boolean => {
    this.#lines.take(bytes, () => this.#isFull)
    return !this.#isFull
  }

  /** The sections read; `rest` is the one in which the bound was reached. */
  end(): { complete: readonly PatchSection[]; rest: PatchSection | undefined } {
    if (!this.#isFull) {
      this.#lines.end()
      this.#finish()
    }
    return { complete: this.#complete, rest: this.#section }
  }

  #finish(): void {
    if (this.#section) this.#complete.push(this.#section)
    this.#section = undefined
    this.#hunk = undefined
    this.#isSkipped = false
  }

  #read(line: Buffer, length: number): void {
    const first = line[0]
    if (first === 0x64 && line.subarray(0, 11).equals(DIFF)) {
      this.#finish()
      if (this.#complete.length === this.options.maxSections) {
        this.#isFull = true
        return
      }
      this.#section = { objects: '', isBinary: false, hunks: [], lines: 0, bytes: 0 }
    } else if (first === 0x40) this.#startHunk(decode(line))
    else if (this.#hunk && !this.#isSkipped) this.#readLine(line, length)
    else if (!this.#hunk) this.#readHeader(decode(line))
  }

  #readHeader(line: string): void {
    if (!this.#section) return
    const objects = /^index ([0-9a-f]+\.\.[0-9a-f]+)/.exec(line)?.[1]
    if (objects) {
      this.#section.objects = objects
      this.#isSkipped = this.options.isWanted?.(objects) === false
    } else if (line.startsWith('Binary files ')) this.#section.isBinary = true
  }

  #startHunk(line: string): void {
    const [, old = '0', next = '0', heading = ''] = HUNK.exec(line) ?? []
    this.#old = Number(old)
    this.#new = Number(next)
    this.#hunk = { old_start: this.#old, new_start: this.#new, ...(heading && { heading }), lines: [] }
    if (this.#section && this.#section.lines >= this.#skip) this.#section.hunks.push(this.#hunk)
  }

  #readLine(line: Buffer, length: number): void {
    const section = this.#section
    const hunk = this.#hunk
    if (!section || !hunk) return
    if (line[0] === 0x5c) {
      const last = hunk.lines.at(-1)
      if (last) last.no_newline = true
      return
    }
    if (this.#bytes >= this.#maxBytes) {
      this.#isFull = true
      return
    }
    const kind = line[0] === 0x2b ? '+' : line[0] === 0x2d ? '-' : ' '
    const numbers = {
      ...(kind !== '+' && { old: this.#old++ }),
      ...(kind !== '-' && { new: this.#new++ }),
    }
    if (section.lines++ < this.#skip) return
    if (section.hunks.at(-1) !== hunk) this.#continueHunk(section, hunk, numbers)
    const isCut = length > line.length
    const text = isCut ? decode(line.subarray(1)).replace(/\ufffd+$/, '') : decode(line.subarray(1))
    hunk.lines.push({ kind, ...numbers, text, ...(isCut && { bytes: length - 1 }) })
    section.bytes += line.length + LINE_COST
    this.#bytes += line.length + LINE_COST
  }

  /** Begins a hunk whose first lines were skipped. */
  #continueHunk({ hunks }: Section, hunk: DiffHunk, numbers: Pick<DiffLine, 'old' | 'new'>): void {
    hunk.old_start = numbers.old ?? this.#old
    hunk.new_start = numbers.new ?? this.#new
    hunk.continued = true
    hunks.push(hunk)
  }
}

const DIFF = Buffer.from('diff --git ')
const decode = (bytes: Buffer): string => bytes.toString('utf8')

/** Cuts pieces of output into lines, and long lines short. */
class LineSplitter {
  #parts: Uint8Array[] = []
  #held = 0
  #length = 0

  /** `onLine` receives the start of a line and its length. */
  constructor(private readonly onLine: (line: Buffer, length: number) => void) {}

  take(bytes: Uint8Array, isEnough: () => boolean): void {
    let from = 0
    while (!isEnough()) {
      const end = bytes.indexOf(0x0a, from)
      this.#hold(bytes.subarray(from, end === -1 ? bytes.length : end), end === -1)
      if (end === -1) return
      this.#emit()
      from = end + 1
    }
  }

  end(): void {
    if (this.#length > 0) this.#emit()
  }

  /** A piece of output may be reused once it was taken: what is left of it is copied. */
  #hold(part: Uint8Array, isLeft: boolean): void {
    this.#length += part.length
    const kept = part.subarray(0, Math.max(0, MAX_LINE_BYTES - this.#held))
    if (kept.length === 0) return
    this.#parts.push(isLeft ? Uint8Array.from(kept) : kept)
    this.#held += kept.length
  }

  #emit(): void {
    const [first] = this.#parts
    const isWhole = this.#parts.length === 1 && first !== undefined
    const line = isWhole ? Buffer.from(first.buffer, first.byteOffset, first.length) : Buffer.concat(this.#parts)
    const length = this.#length
    this.#parts = []
    this.#held = 0
    this.#length = 0
    this.onLine(line, length)
  }
}
