import type { CityClient } from '../../src/client/client.ts'
import type { BeadFilter, ListBodyBead } from '../../src/work/beads/schema.ts'

/** Records that the city keeps for itself: they are beads, but nobody's work. */
const RECORDS = ['session', 'message', 'convoy', 'wait', 'agent', 'rig', 'role']

const PAGE = 1000

export const isWork = ({ issue_type }: { issue_type: string }): boolean => !RECORDS.includes(issue_type)

/** The work among the beads that match, newest first, until there is so much; a limit of 0 is none. */
export async function workFound(city: CityClient, query: BeadFilter & { limit: number }): Promise<ListBodyBead> {
  const most = query.limit || Number.POSITIVE_INFINITY
  const items: NonNullable<ListBodyBead['items']> = []
  for (let cursor: string | undefined; ; ) {
    const limit = cursor === undefined ? Math.min(PAGE, most) : PAGE
    const page = await city.call('GET ~/beads', { query: { ...query, limit, cursor } })
    items.push(...page.items.filter(isWork))
    cursor = page.next_cursor
    if (!cursor && items.length <= most) return { items, total: items.length }
    if (items.length >= most) return { items: items.slice(0, most), total: await workTotal(city, query) }
  }
}

/** How many of the beads that match are work. */
export async function workTotal(city: CityClient, query: BeadFilter): Promise<number> {
  const total = async (type?: string): Promise<number> =>
    (await city.call('GET ~/beads', { query: { ...query, type, limit: 1 } })).total
  const [all = 0, ...records] = await Promise.all([total(), ...RECORDS.map(total)])
  return all - records.reduce((sum, each) => sum + each, 0)
}
