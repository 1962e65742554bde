import type { CityClient } from '../../src/client/client.ts'
import type { BeadSearch, BeadsFound } from '../../src/work/search/index.ts'
import { readPages } from '../context/pages.ts'

const PAGE_SIZE = 1000

/** The newest beads that a search finds; a limit of 0 is none. */
export async function searchBeads(city: CityClient, query: BeadSearch & { limit: number }): Promise<BeadsFound> {
  const max = query.limit || Number.POSITIVE_INFINITY
  const items: BeadsFound['items'] = []
  const read = (cursor: string | undefined) =>
    city.call('GET ~/beads/search', { query: { ...query, limit: Math.min(PAGE_SIZE, max - items.length), cursor } })
  for await (const page of readPages(read)) {
    items.push(...page.items)
    if (items.length >= max) return { items, ...(page.next_cursor && { next_cursor: page.next_cursor }) }
  }
  return { items }
}
