import type { Output } from '../../src/client/operations.ts'
import { copy } from './copy.ts'
import { type Columns, isOneOf, table } from './page.ts'
import { toneOf } from './tones.ts'

type Change = Output<'GET ~/changes'>['items'][number]

const PAGE = 100

/** The orders of the list, and the state that each shows. */
const ORDERS: Readonly<Record<string, string | undefined>> = {
  'not decided': undefined,
  'ready for review': 'ready',
  'all, newest first': 'all',
}

/** Columns of a list of changes. */
export const changeColumns = {
  state: { title: 'state', width: 9, cell: ({ state }) => ({ text: state, tone: toneOf(state) }) },
  change: {
    title: 'change',
    width: 15,
    leaves: 4,
    yields: true,
    isName: true,
    cell: ({ id }) => ({ text: id, tone: 'quiet' }),
  },
  title: { title: 'title', width: 24, grows: true, cell: ({ title, branch }) => title ?? branch ?? '' },
  agent: { title: 'agent', width: 12, isName: true, leaves: 2, cell: ({ agent }) => agent },
  lines: { title: 'lines', width: 11, cell: ({ added, removed }) => `+${added} -${removed}` },
  files: { title: 'files', width: 5, leaves: 3, cell: ({ files }) => String(files) },
  checks: {
    title: 'checks',
    width: 6,
    leaves: 2,
    cell: ({ checks }) => ({ text: checks ?? '', tone: toneOf(checks) }),
  },
  risk: {
    ...{ title: 'look at', header: 'RISK', width: 18, grows: true, leaves: 1 },
    cell: ({ risk }) => ({ text: risk ?? '', tone: 'warning' }),
  },
  age: {
    ...{ title: 'age', width: 4 },
    cell: ({ ready_at: ready, created_at: created }) => ({ since: ready ?? created, tone: 'quiet' }),
  },
} satisfies Columns<Change>

/** The work of sessions, as it is reviewed. */
export const changesPage = table<Change>({
  name: 'changes',
  aliases: ['reviews'],
  title: 'changes',
  help: 'the work of sessions to review',
  empty: 'no changes: one appears when a session in a worktree closes its bead',
  sorts: Object.keys(ORDERS),
  columns: Object.values(changeColumns),
  idOf: ({ id }) => id,
  isChangedBy: isOneOf('change.', 'land.'),
  opens: ({ id }, city) => ({ page: 'change', city, subject: id }),
  load: async ({ city, signal }, { cursor, sort }) => {
    const state = ORDERS[sort ?? '']
    const query = { limit: PAGE, ...(state && { state }), ...(cursor && { cursor }) }
    const { items, next_cursor: next } = await city.call('GET ~/changes', { query, ...(signal && { signal }) })
    return { items, next }
  },
  actionsOf: ({ id, branch }) => [copy('y', 'copy', 'its id', id), copy('b', 'copy-branch', 'its branch', branch)],
})
