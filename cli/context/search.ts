import type { CityClient } from '../../src/client/client.ts'
import type { BeadSearch, BeadsFound } from '../../src/work/search/schema.ts'

const PAGE = 1000

/** What a search finds, looked for until there are so many or no more; a limit of 0 is none. */
export async function beadsFound(city: CityClient, query: BeadSearch & { limit: number }): Promise<BeadsFound> {
  const most = query.limit || Number.POSITIVE_INFINITY
  const items: BeadsFound['items'] = []
  for (let cursor: string | undefined; ; ) {
    const limit = Math.min(PAGE, most - items.length)
    const page = await city.call('GET ~/beads/search', { query: { ...query, limit, cursor } })
    items.push(...page.items)
    cursor = page.next_cursor
    if (!cursor || items.length >= most) return { items, ...(cursor && { next_cursor: cursor }) }
  }
}
