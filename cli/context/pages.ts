interface Page<Item> {
  items: readonly Item[]
  next_cursor?: string | undefined
}

/** Reads a list page by page, each page when it is needed; `read` takes the cursor that the page before ended with. */
export async function* readPages<P extends Page<unknown>>(
  read: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P> {
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    yield page
    cursor = page.next_cursor
  } while (cursor)
}

/** The items of all pages, until there are `max` of them. */
export async function readItems<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  max = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of readPages(read)) {
    items.push(...page.items)
    if (items.length >= max) break
  }
  return items.slice(0, max)
}
