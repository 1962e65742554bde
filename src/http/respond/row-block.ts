/** Writes a row as JSON; the same function writes the same text for the same row. */
export type RowWriter<Row> = (row: Row) => string

/** Rows as bytes, each with a comma before it. */
interface WrittenRows<Row> {
  readonly rows: readonly Row[]
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Offset of the end of each row. */
  readonly ends: Uint32Array
}

/** Number of rows that are kept together: so many that their bytes are sent as they are. */
export const ROWS_TOGETHER = 1024

/** Maximum bytes of rows that are kept; larger ones are written each time. */
const MAX_KEPT_BYTES = 1024 * 1024

const encoder = new TextEncoder()

/** Neighbours in a list, none of which changes, with the bytes that they were sent as. */
export class RowBlock<Row extends object> {
  readonly #written = new Map<RowWriter<Row>, WrittenRows<Row>>()

  private constructor(
    readonly rows: readonly Row[],
    before: RowBlock<Row> | undefined,
  ) {
    if (before) for (const [write, written] of before.#written) this.#written.set(write, written)
  }

  /** Rows in blocks: those of before where they have these rows, else their bytes are copied where they have some. */
  static blocks<Row extends object>(
    rows: readonly Row[],
    before: readonly RowBlock<Row>[] = [],
  ): readonly RowBlock<Row>[] {
    const blocks: RowBlock<Row>[] = []
    for (let from = 0; from < rows.length; from += ROWS_TOGETHER) {
      const known = before[blocks.length]
      const own = rows.slice(from, from + ROWS_TOGETHER)
      blocks.push(known?.hasOnly(own) ? known : new RowBlock(own, known))
    }
    return blocks
  }

  private hasOnly(rows: readonly Row[]): boolean {
    return rows.length === this.rows.length && rows.every((row, index) => row === this.rows[index])
  }

  /** The rows as JSON, with a comma before each. */
  json(write: RowWriter<Row>): Uint8Array<ArrayBuffer> {
    const known = this.#written.get(write)
    if (known?.rows === this.rows) return known.bytes
    const written = writeRows(this.rows, write, known)
    if (written.bytes.length <= MAX_KEPT_BYTES) this.#written.set(write, written)
    else this.#written.delete(write)
    return written.bytes
  }
}

const NOTHING: WrittenRows<never> = { rows: [], bytes: new Uint8Array(0), ends: new Uint32Array(0) }

function writeRows<Row>(
  rows: readonly Row[],
  write: RowWriter<Row>,
  before: WrittenRows<Row> = NOTHING,
): WrittenRows<Row> {
  const ends = new Uint32Array(rows.length)
  const parts: Uint8Array[] = []
  let size = 0
  /** Former index of the next row, and of the first row of the part that is copied with it. */
  let next = 0
  let from = 0
  const startOf = (index: number) => before.ends[index - 1] ?? 0
  const copy = () => void parts.push(before.bytes.subarray(startOf(from), startOf(next)))
  for (const [index, row] of rows.entries()) {
    const found = before.rows[next] === row ? next : before.rows.indexOf(row)
    if (found !== next) {
      copy()
      if (found >= 0) next = found
      from = next
    }
    if (found >= 0) {
      next++
      size += startOf(next) - startOf(found)
    } else {
      const part = encoder.encode(`,${write(row)}`)
      parts.push(part)
      size += part.length
    }
    ends[index] = size
  }
  copy()
  return { rows, bytes: joinedBytes(parts, size), ends }
}

function joinedBytes(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
