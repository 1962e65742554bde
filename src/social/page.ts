import { Type } from '@sinclair/typebox'
import { unusable } from './refusal.ts'

/** A page of a list, and where the next begins. */
export interface Page<Item> {
  items: Item[]
  limit: number
  offset: number
  next: string | undefined
}

/** How many items a page has and how many may be asked for. */
export interface Bounds {
  readonly usual: number
  readonly most: number
}

/** Further in, a list is read by cursor. */
const MOST_SKIPPED = 1_000

/** The query fields of a list. Clients send what they like here: nothing of it is refused that can be understood. */
export const paging = ({ usual, most }: Bounds) => ({
  limit: Type.Optional(
    Type.Unknown({
      type: 'integer',
      default: usual,
      minimum: 1,
      maximum: most,
      description: `Items a page, 1 to ${most}; what lies outside, or is no number, is taken for the nearest or the usual.`,
    }),
  ),
  offset: Type.Optional(
    Type.Unknown({
      type: 'integer',
      default: 0,
      minimum: 0,
      maximum: MOST_SKIPPED,
      description: `Items to skip, ${MOST_SKIPPED} at most; further on use \`cursor\`, which takes no longer on any page.`,
    }),
  ),
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the page before, from the same list.' })),
})

/** A word of a query that is one of some; any other is taken for the first. */
export const oneOf = (words: readonly string[], description: string) =>
  Type.Optional(Type.Unknown({ type: 'string', enum: words, default: words[0], description }))

/** The word that was asked for, or the usual one. */
export const wordOf = <Word extends string>(words: readonly Word[], usual: Word, asked: unknown): Word =>
  words.find((word) => word === asked) ?? usual

export function sizeOf(asked: unknown, { usual, most }: Bounds): number {
  const size = whole(asked)
  return size === undefined ? usual : Math.min(Math.max(size, 1), most)
}

export function offsetOf(asked: unknown): number {
  const offset = Math.max(whole(asked) ?? 0, 0)
  if (offset > MOST_SKIPPED) {
    throw unusable(`An offset may be ${MOST_SKIPPED} at most`, 'Go on with the next_cursor of the page before.')
  }
  return offset
}

const whole = (asked: unknown): number | undefined =>
  /^[+-]?\d{1,15}$/.test(String(asked)) ? Number(asked) : undefined

/** What every list says of itself beside its items. */
export const pageFields = {
  count: Type.Integer({ description: 'Items on this page.' }),
  has_more: Type.Boolean({ description: 'Whether there are more.' }),
  next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'Sent as `cursor` it asks for the next page.' }),
  limit: Type.Integer({ description: 'Items a page may have.' }),
  offset: Type.Integer({ description: 'Items that were skipped.' }),
  pagination: Type.Object({
    count: Type.Integer(),
    limit: Type.Integer(),
    offset: Type.Integer(),
    hasMore: Type.Boolean(),
  }),
}

export function pageFacts({ items, limit, offset, next }: Page<unknown>) {
  const count = items.length
  const has_more = next !== undefined
  return {
    ...{ count, has_more, next_cursor: next ?? null, limit, offset },
    pagination: { count, limit, offset, hasMore: has_more },
  }
}

export const success = Type.Literal(true, { description: '`true` whenever it was done.' })
