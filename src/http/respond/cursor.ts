import { AppError } from '../../core/errors.ts'

/** The last row of a page in (created, id) order; without `createdAt` the row has no time. */
export interface Boundary {
  readonly createdAt?: string
  readonly id: string
  /** Position of the page's end inside this row, for lists with several items per row. */
  readonly within?: string
}

/** The cursor after a row of a list ordered by creation, newest first. */
export const cursorAfter = ({ createdAt, id, within }: Boundary): string =>
  pack({ k: 'cb', ...(createdAt !== undefined && { ca: createdAt }), id, ...(within !== undefined && { in: within }) })

/** The cursor after an event. */
export const cursorAfterSeq = (seq: number): string => pack({ k: 'sq', s: seq })

/** The row a page continues from; undefined without a cursor. */
export function parseBoundaryCursor(cursor: string | undefined): Boundary | undefined {
  if (!cursor) return undefined
  const { k, ca, id, in: within } = unpack(cursor)
  if (k !== 'cb' || typeof id !== 'string' || id === '') throw invalidCursor()
  if (within !== undefined && typeof within !== 'string') throw invalidCursor()
  const row = { id, ...(within !== undefined && { within }) }
  if (ca === undefined) return row
  if (typeof ca !== 'string' || Number.isNaN(Date.parse(ca))) throw invalidCursor()
  return { createdAt: ca, ...row }
}

/** The event a page continues from; undefined without a cursor. */
export function parseSeqCursor(cursor: string | undefined): number | undefined {
  if (!cursor) return undefined
  const { k, s } = unpack(cursor)
  if (k !== 'sq' || typeof s !== 'number' || !Number.isSafeInteger(s) || s < 1) throw invalidCursor()
  return s
}

/** The cursor after a row of a list, with the numbers that list is ordered by. */
export const cursorAfterKey = (list: string, key: readonly number[]): string => pack({ k: list, at: key })

/** The numbers a page continues from, so many of them; undefined without a cursor. */
export function parseKeyCursor(cursor: string | undefined, list: string, length: number): number[] | undefined {
  if (!cursor) return undefined
  const { k, at } = unpack(cursor)
  if (k !== list || !Array.isArray(at) || at.length !== length || !at.every(Number.isFinite)) throw invalidCursor()
  return at
}

const pack = (value: object): string => `v1:${Buffer.from(JSON.stringify(value)).toString('base64url')}`

function unpack(cursor: string): Record<string, unknown> {
  const text = /^v1:([A-Za-z0-9_-]+)$/.exec(cursor)?.[1]
  if (!text) throw invalidCursor()
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch {
    throw invalidCursor()
  }
  throw invalidCursor()
}

/** The error of a cursor that is of another list, or none. */
export const invalidCursor = (): AppError =>
  new AppError('invalid-cursor', 'the cursor is not one of this list; ask for the first page again')
