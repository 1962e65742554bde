import { Type } from '@sinclair/typebox'
import { jsonSize } from '../../http/respond/index.ts'

/** A page of a list, with the cursor of the next. */
export interface Page<Item> {
  items: Item[]
  limit: number
  offset: number
  next: string | undefined
}

/** Maximum number of items a page has by default and. */
export interface PageSize {
  readonly default: number
  readonly max: number
}

/** More rows than any list has. */
const MAX_OFFSET = 1_000_000_000

/** The query parameters of a list. Clients send all sorts of values here; only what makes no sense is an error. */
export const pagingParameters = ({ default: fallback, max }: PageSize) => ({
  limit: Type.Optional(
    Type.Unknown({
      type: 'integer',
      default: fallback,
      minimum: 1,
      maximum: max,
      description: `Items per page, 1 to ${max}. A number outside is clamped; anything else means the default.`,
    }),
  ),
  offset: Type.Optional(
    Type.Unknown({
      type: 'integer',
      default: 0,
      minimum: 0,
      description:
        'Items to skip. Beyond 1,000, a page continues where a page read in the last 10 minutes ended; `cursor` is exact.',
    }),
  ),
  page: Type.Optional(
    Type.Unknown({
      type: 'integer',
      minimum: 1,
      description: 'The number of the page, from 1: another way to give `offset`, which it replaces.',
    }),
  ),
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the previous page of the same list.' })),
})

/** A query parameter with some known words; any other means the first. */
export const wordParameter = (words: readonly string[], description: string) =>
  Type.Optional(Type.Unknown({ type: 'string', enum: words, default: words[0], description }))

/** A value if it is one of the words, else the default. */
export const parseWord = <Word extends string>(words: readonly Word[], fallback: Word, value: unknown): Word =>
  words.find((word) => word === value) ?? fallback

export function parseLimit(value: unknown, { default: fallback, max }: PageSize): number {
  const limit = parseInteger(value)
  return limit === undefined ? fallback : Math.min(Math.max(limit, 1), max)
}

/** The items to skip before a page of `limit` items: as `page` says, else as `offset` does. */
export function parseOffset({ page, offset }: { page?: unknown; offset?: unknown }, limit: number): number {
  const pages = parseInteger(page)
  const items = pages === undefined ? (parseInteger(offset) ?? 0) : (pages - 1) * limit
  return Math.min(Math.max(items, 0), MAX_OFFSET)
}

const parseInteger = (value: unknown): number | undefined =>
  /^[+-]?\d{1,15}$/.test(String(value)) ? Number(value) : undefined

/** The fields that every list has besides its items. */
export const pageFields = {
  count: Type.Integer({ description: 'Items on this page.' }),
  has_more: Type.Boolean({ description: 'True if there is another page.' }),
  next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'Send it as `cursor` for the next page.' }),
  limit: Type.Integer({ description: 'Maximum number of items per page.' }),
  offset: Type.Integer({ description: 'Items that were skipped.' }),
  pagination: Type.Object({
    count: Type.Integer(),
    limit: Type.Integer(),
    offset: Type.Integer(),
    hasMore: Type.Boolean(),
  }),
}

/** Number of bytes an item of a list has in a response in the legacy format, which has the list twice. */
export const sizeOfListed = (item: unknown): number => 2 * jsonSize(item)

/** The values of `pageFields`. */
export function pageValues({ items, limit, offset, next }: Page<unknown>) {
  const count = items.length
  const has_more = next !== undefined
  return {
    ...{ count, has_more, next_cursor: next ?? null, limit, offset },
    pagination: { count, limit, offset, hasMore: has_more },
  }
}
