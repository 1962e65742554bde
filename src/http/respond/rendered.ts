import { AppError } from '../../core/errors.ts'

/** Writes a value of a response differently: the second argument of `JSON.stringify`. */
export type JsonReplacer = (key: string, value: unknown) => unknown

/** An answer of this shape that is JSON text already. */
export class RenderedJson<Shape> {
  constructor(readonly text: string) {}

  get value(): Shape {
    return JSON.parse(this.text)
  }
}

/** The most that one response has, in bytes. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024

/** A part of an answer as text, or as bytes that do not change. */
export type JsonPiece = string | Uint8Array<ArrayBuffer>

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export const textOf = (piece: JsonPiece): string => (typeof piece === 'string' ? piece : decoder.decode(piece))

interface JsonRowsParts {
  /** Text before the first row, and after the last. */
  readonly head: string
  /** Each is a row, or several with commas between them. Those that are bytes begin with a comma. */
  readonly rows: Iterable<JsonPiece>
  /** `isComplete` is false when the rows that follow found no room; it throws where a part is not an answer. */
  tail(isComplete: boolean): string
}

/** An answer of this shape that is written row by row, so that nothing holds all of it before it is sent. */
export class JsonRows<Shape> {
  constructor(private readonly parts: JsonRowsParts) {}

  /** The answer, piece by piece; it ends at the row that would exceed the bound. */
  *pieces(maxBytes = MAX_RESPONSE_BYTES): Generator<JsonPiece, void> {
    const { head, rows, tail } = this.parts
    yield head
    let size = 0
    for (const row of rows) {
      const isFirst = size === 0
      size += typeof row === 'string' ? Buffer.byteLength(row) + 1 : row.length
      if (size > maxBytes) {
        yield tail(false)
        return
      }
      if (typeof row === 'string') yield isFirst ? row : `,${row}`
      else yield isFirst ? row.subarray(1) : row
    }
    yield tail(true)
  }

  /** The same with each part written differently. */
  map(change: (text: string) => string): JsonRows<Shape> {
    const { head, rows, tail } = this.parts
    return new JsonRows({
      head: change(head),
      rows: Iterator.from(rows).map((row) => change(typeof row === 'string' ? row : textOf(row.subarray(1)))),
      tail: (isComplete) => change(tail(isComplete)),
    })
  }

  get text(): string {
    return this.pieces().map(textOf).toArray().join('')
  }

  get value(): Shape {
    return JSON.parse(this.text)
  }
}

/** True if a result is JSON already. */
export const isRendered = (value: unknown): value is RenderedJson<unknown> | JsonRows<unknown> =>
  value instanceof RenderedJson || value instanceof JsonRows

/** A result as JSON. */
export const toText = (value: unknown, replacer?: JsonReplacer): string => {
  if (!isRendered(value)) return JSON.stringify(value, replacer) ?? ''
  return replacer ? JSON.stringify(value.value, replacer) : value.text
}

/** List with items and other fields. */
export interface List {
  readonly items: readonly unknown[]
}

/** A list, written row by row. One that lacks room for all of its items is marked partial. */
export const listRows = ({ items, ...rest }: List): JsonRows<unknown> =>
  textRows(
    items.values().map((item) => JSON.stringify(item)),
    rest,
  )

/** The same of items that are JSON already. */
export function textRows<Shape>(rows: Iterable<JsonPiece>, rest: object): JsonRows<Shape> {
  return new JsonRows({
    head: '{"items":[',
    rows,
    tail: (isComplete) => `],${JSON.stringify(isComplete ? rest : { ...rest, ...LIST_IS_PARTIAL }).slice(1)}`,
  })
}

/** Number of rows that are sent together. */
const ROWS_TOGETHER = 64

/** Many small rows, several to a piece. */
export function* joined(rows: readonly string[]): Generator<string> {
  for (let from = 0; from < rows.length; from += ROWS_TOGETHER) yield rows.slice(from, from + ROWS_TOGETHER).join()
}

const LIST_IS_PARTIAL = { partial: true, partial_errors: ['the list has more than 64 MB; its last items are left out'] }

/** Throws when so many bytes are too large for an answer; `instead` says where to read what they are. */
export function assertFits(bytes: number, what: string, instead: string): void {
  if (bytes > MAX_RESPONSE_BYTES) throw responseTooLarge(what, instead)
}

/** The error of an answer that is too large and may not be a part; the sentence says where to read it page by page. */
export const responseTooLarge = (what: string, instead: string): AppError =>
  new AppError('response-too-large', `${what} has more than ${MAX_RESPONSE_BYTES / 1024 / 1024} MB; ${instead}`)
