/** The most that a page of a list has, in bytes; its first item is on it, however large. */
export const MAX_PAGE_BYTES = 1024 * 1024

/** The items of a page. */
export interface PageItems<Row, Item> {
  readonly items: Item[]
  /** The row after which the next page begins; undefined when nothing follows. */
  readonly last: Row | undefined
}

interface PageBounds<Item> {
  /** Number of bytes an item has in the response; those of its JSON unless given. */
  readonly sizeOf?: (item: Item) => number
  readonly maxBytes?: number
}

/** Fills a page with what fits of the rows; those after it are not read, but for one that says whether there are any. */
export function fillPage<Row, Item>(
  rows: Iterable<Row>,
  limit: number,
  toItem: (row: Row) => Item,
  { sizeOf = jsonSize, maxBytes = MAX_PAGE_BYTES }: PageBounds<Item> = {},
): PageItems<Row, Item> {
  const items: Item[] = []
  let last: Row | undefined
  let size = 0
  for (const row of rows) {
    if (items.length === limit) return { items, last }
    const item = toItem(row)
    size += sizeOf(item) + 1
    if (size > maxBytes && items.length > 0) return { items, last }
    items.push(item)
    last = row
  }
  return { items, last: undefined }
}

/** Number of bytes an item has as JSON. */
export const jsonSize = (item: unknown): number => Buffer.byteLength(JSON.stringify(item))

/** Reads keys in batches: what is far down a page is read only when the page gets there. */
export function* inBatches<Key, Row>(keys: readonly Key[], size: number, read: (keys: Key[]) => Iterable<Row>) {
  for (let start = 0; start < keys.length; start += size) yield* read(keys.slice(start, start + size))
}
