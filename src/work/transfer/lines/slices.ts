import { DELETED } from '../../beads/index.ts'

const NEWLINE = 0x0a
/** About how many bytes are read together. */
const SLICE = 256 * 1024

/** The lines of a text, a few hundred at a time. */
export function* sliceLines(bytes: Uint8Array): Generator<string[], void> {
  const decoder = new TextDecoder()
  for (let start = 0; start < bytes.length; ) {
    const newline = start + SLICE < bytes.length ? bytes.indexOf(NEWLINE, start + SLICE) : -1
    const end = newline < 0 ? bytes.length : newline
    yield decoder.decode(bytes.subarray(start, end)).split('\n')
    start = end + 1
  }
}

/** The lines of a text, one by one. */
export function* allLines(bytes: Uint8Array): Generator<string, void> {
  for (const lines of sliceLines(bytes)) yield* lines
}

const DELETED_MARK = Buffer.from(DELETED)

/** True if a file may have deleted beads: a search that costs next to nothing. */
export const mayHaveDeleted = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(DELETED_MARK)
