import type { CityClient } from '../../src/client/client.ts'
import type { BeadFilter, ListBodyBead } from '../../src/work/beads/index.ts'
import { readPages } from '../context/pages.ts'

/** Types of beads that are records of the city and no work. */
const RECORDS = ['session', 'message', 'convoy', 'wait', 'agent', 'rig', 'role', 'kv']

const PAGE_SIZE = 1000

export const isWork = ({ issue_type }: { issue_type: string }): boolean => !RECORDS.includes(issue_type)

/** The newest beads that match, records of the city only when all or a type are asked for; a limit of 0 is none. */
export async function listBeads(city: CityClient, query: BeadFilter & { limit: number }): Promise<ListBodyBead> {
  const withRecords = query.all || query.type !== undefined
  const max = query.limit || Number.POSITIVE_INFINITY
  const items: ListBodyBead['items'] = []
  const read = (cursor: string | undefined) =>
    city.call('GET ~/beads', { query: { ...query, limit: cursor ? PAGE_SIZE : Math.min(PAGE_SIZE, max), cursor } })
  for await (const page of readPages(read)) {
    items.push(...(withRecords ? page.items : page.items.filter(isWork)))
    const isMore = items.length > max || (items.length === max && page.next_cursor)
    if (isMore) return { items: items.slice(0, max), total: withRecords ? page.total : await countWork(city, query) }
  }
  return { items, total: items.length }
}

/** The number of matching beads that are work. */
export async function countWork(city: CityClient, query: BeadFilter): Promise<number> {
  const total = async (type?: string): Promise<number> =>
    (await city.call('GET ~/beads', { query: { ...query, type, limit: 1 } })).total
  const [all = 0, ...records] = await Promise.all([total(), ...RECORDS.map(total)])
  return all - records.reduce((sum, each) => sum + each, 0)
}
