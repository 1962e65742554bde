import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import { beadActions, newBead } from './bead-actions.ts'
import { type Columns, isOneOf, type Query, type Reach, type Slice, table } from './page.ts'
import { differenceOf } from './several.ts'
import { toneOf } from './tones.ts'

const PAGE = 200
/** Types with a page of their own, or that gc keeps automatically. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['session', 'message', 'gate', 'convoy', 'spec'])

/** The orders of the list, and the statuses that each shows, one after the other. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  'what is under way first': ['in_progress', 'open'],
  newest: [''],
  'closed ones': ['closed'],
}

const DEFAULT_ORDER = ['in_progress', 'open']

/** Facts of a bead that an action on several of them relies on. */
const BEAD_FACTS = { status: 'status', assignee: 'assignee', title: 'title', priority: 'priority', labels: 'labels' }

/** Columns of a list of beads. */
export const beadColumns = {
  id: { title: 'id', header: 'BEAD', width: 10, isName: true, cell: ({ id }) => id },
  status: { title: 'status', width: 12, cell: (bead) => ({ text: statusOf(bead), tone: toneOf(statusOf(bead)) }) },
  title: { title: 'title', width: 28, grows: true, cell: ({ title }) => title },
  type: {
    title: 'type',
    width: 8,
    leaves: 3,
    yields: true,
    cell: ({ issue_type }) => ({ text: issue_type, tone: 'quiet' }),
  },
  priority: {
    title: 'prio',
    width: 4,
    leaves: 2,
    cell: ({ priority: level }) => (level === undefined ? '' : `P${level}`),
  },
  labels: {
    title: 'labels',
    width: 12,
    grows: true,
    leaves: 4,
    yields: true,
    cell: ({ labels }) => ({ text: labels?.join(', ') ?? '', tone: 'quiet' }),
  },
  who: { title: 'who', width: 18, leaves: 1, isName: true, cell: (bead) => ({ text: ownerOf(bead), tone: 'quiet' }) },
  age: { title: 'age', width: 4, cell: ({ created_at }) => ({ since: created_at, tone: 'quiet' }) },
  changed: {
    title: 'changed',
    width: 7,
    isExtra: true,
    cell: ({ updated_at: since = '' }) => ({ since, tone: 'quiet' }),
  },
  parent: { title: 'parent', width: 10, isExtra: true, isName: true, cell: ({ parent }) => parent },
} satisfies Columns<Bead>

/** The work of a city: what is under way first. */
export const beadsPage = table<Bead>({
  name: 'beads',
  aliases: ['work'],
  title: 'work',
  help: 'the beads of the city: tasks and other records',
  empty: 'no open work: n makes a bead',
  sorts: Object.keys(ORDERS),
  isSearched: true,
  columns: Object.values(beadColumns),
  idOf: ({ id }) => id,
  isSystem: (bead) => isBookkeeping(bead),
  isChangedBy: isOneOf('bead.'),
  opens: ({ id }, city) => ({ page: 'bead', city, subject: id }),
  load: (reach, query) => (query.filter.trim() === '' ? loadBeads(reach, query) : searchBeads(reach, query)),
  actionsOf: (bead) => beadActions(bead),
  changed: async (bead, { city }) =>
    differenceOf(bead, await city.call('GET ~/bead/{id}', { params: { id: bead.id } }), BEAD_FACTS),
  actions: () => [newBead],
})

/** Control steps of runs are done by gc itself. */
const isBookkeeping = ({ issue_type, ephemeral, no_history, metadata }: Bead): boolean =>
  BOOKKEEPING.has(issue_type) ||
  ephemeral === true ||
  no_history === true ||
  metadata?.['gc.routed_to'] === 'core.control-dispatcher'

const statusOf = ({ status, is_blocked }: Bead): string => (is_blocked && status === 'open' ? 'blocked' : status)

const ownerOf = ({ assignee, metadata }: Bead): string => assignee || (metadata?.['gc.routed_to'] ?? '')

/** The bead with this id, then those with words that begin like these, wherever they are in the history. */
async function searchBeads({ city, signal }: Reach, { cursor, filter: q }: Query): Promise<Slice<Bead>> {
  const query = { q, prefixes: true, limit: PAGE, ...(cursor && { cursor }) }
  const { items, next_cursor: next } = await city.call('GET ~/beads/search', { query, ...(signal && { signal }) })
  const named = cursor === undefined ? await beadOfId(city, q.trim(), signal) : []
  return { items: [...named, ...items.filter(({ id }) => named.every((each) => each.id !== id))], next }
}

/** The bead whose id a text is, if it is one. */
export async function beadOfId(city: CityClient, text: string, signal?: AbortSignal): Promise<Bead[]> {
  if (!/^[\w.]+-[\w.-]+$/.test(text)) return []
  try {
    return [await city.call('GET ~/bead/{id}', { params: { id: text }, ...(signal && { signal }) })]
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return []
    throw error
  }
}

/** One status after the other; the cursor names the status and the place in its list. */
async function loadBeads({ city, signal }: Reach, { cursor, sort }: Query): Promise<Slice<Bead>> {
  const statuses = ORDERS[sort ?? ''] ?? DEFAULT_ORDER
  const [first = statuses[0] ?? '', after] = cursor?.split('|') ?? []
  const read = (status: string, limit: number, from?: string) => {
    const query = { limit, ...(status && { status }), ...(from && { cursor: from }) }
    return city.call('GET ~/beads', { query, ...(signal && { signal }) })
  }
  const rest = statuses.slice(statuses.indexOf(first))
  const items: Bead[] = []
  let total = 0
  for (const [at, status] of rest.entries()) {
    const page = await read(status, PAGE, status === first ? after : undefined)
    items.push(...page.items)
    total += page.total
    if (page.next_cursor === undefined) continue
    const counts = cursor === undefined ? await Promise.all(rest.slice(at + 1).map((each) => read(each, 1))) : []
    return {
      items,
      total: counts.reduce((sum, each) => sum + each.total, total),
      next: `${status}|${page.next_cursor}`,
    }
  }
  return { items, total }
}
