/** Writes a row as JSON; the same function writes the same text for the same row. */
export type RowWriter<Row> = (row: Row) => string

/** Rows as bytes, each with a comma before it. */
interface WrittenRows<Row> {
  readonly rows: readonly Row[]
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Where each row ends. */
  readonly ends: Uint32Array
}

/** Number of rows that are kept together. */
const ROWS_TOGETHER = 64

/** Maximum bytes of rows that are kept; larger ones are written each time. */
const MAX_KEPT_BYTES = 64 * 1024

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

  /** Rows in blocks. Where they were in those of before, their bytes are copied. */
  static blocks<Row extends object>(
    rows: readonly Row[],
    before: readonly RowBlock<Row>[] = [],
  ): readonly RowBlock<Row>[] {
    const blocks: RowBlock<Row>[] = []
    for (let from = 0; from < rows.length; from += ROWS_TOGETHER) {
      blocks.push(new RowBlock(rows.slice(from, from + ROWS_TOGETHER), before[blocks.length]))
    }
    return blocks
  }

  /** The rows as JSON, with commas between them. */
  json(write: RowWriter<Row>): Uint8Array<ArrayBuffer> {
    const known = this.#written.get(write)
    if (known?.rows === this.rows) return known.bytes.subarray(1)
    const written = writeRows(this.rows, write, known)
    if (written.bytes.length <= MAX_KEPT_BYTES) this.#written.set(write, written)
    else this.#written.delete(write)
    return written.bytes.subarray(1)
  }
}

function writeRows<Row>(
  rows: readonly Row[],
  write: RowWriter<Row>,
  before: WrittenRows<Row> | undefined,
): WrittenRows<Row> {
  const ends = new Uint32Array(rows.length)
  let size = 0
  const parts = rows.map((row, index) => {
    const part = (before && partOf(before, row, index)) ?? encoder.encode(`,${write(row)}`)
    size += part.length
    ends[index] = size
    return part
  })
  const bytes = new Uint8Array(size)
  for (const [index, part] of parts.entries()) bytes.set(part, (ends[index] ?? 0) - part.length)
  return { rows, bytes, ends }
}

/** The bytes of a row that was written before, most likely at the same place. */
function partOf<Row>({ rows, bytes, ends }: WrittenRows<Row>, row: Row, expected: number): Uint8Array | undefined {
  const index = rows[expected] === row ? expected : rows.indexOf(row)
  return index < 0 ? undefined : bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index])
}
