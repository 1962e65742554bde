import type { Output } from '../../src/client/operations.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import { beadActions } from './bead-actions.ts'
import { beadColumns } from './beads.ts'
import { type Action, isOneOf, type Line, table, whole } from './page.ts'
import { toneOf } from './tones.ts'

type Progress = Output<'GET ~/convoys/progress'>['convoys'][string]

/** A convoy with how many of its beads are closed. */
type Listed = Bead & { readonly progress?: Progress | undefined }

const PAGE = 200

/** Whether gc made the convoy for one bead that was slung. */
const isAutomatic = ({ title, labels, metadata }: Bead): boolean =>
  metadata?.['gc.synthetic'] === 'true' || (title.startsWith('sling-') && !labels?.includes('owned'))

/** The groups of beads that are done together. */
export const convoysPage = table<Listed>({
  name: 'convoys',
  title: 'convoys',
  help: 'groups of beads that are done together',
  empty: 'none: n makes one',
  columns: [
    { title: 'id', width: 10, isName: true, cell: ({ id }) => id },
    { title: 'status', width: 12, cell: ({ status }) => ({ text: status, tone: toneOf(status) }) },
    { title: 'done', width: 7, cell: ({ progress }) => (progress ? `${progress.closed}/${progress.total}` : '') },
    { title: 'title', width: 16, grows: true, cell: ({ title }) => title },
    {
      title: 'labels',
      width: 10,
      leaves: 1,
      cell: ({ labels }) => ({ text: labels?.join(', ') ?? '', tone: 'quiet' }),
    },
    { title: 'age', width: 4, cell: ({ created_at }) => ({ since: created_at, tone: 'quiet' }) },
  ],
  idOf: ({ id }) => id,
  isSystem: isAutomatic,
  isChangedBy: isOneOf('convoy.', 'bead.'),
  opens: ({ id }, city) => ({ page: 'convoy', city, subject: id }),
  load: async ({ city, signal }, { cursor }) => {
    const query = { limit: PAGE, ...(cursor && { cursor }) }
    const call = signal ? { signal } : {}
    const { items, total, next_cursor: next } = await city.call('GET ~/convoys', { query, ...call })
    const ids = items.map(({ id }) => id).join(',')
    const { convoys: known } = await city.call('GET ~/convoys/progress', { query: { ids }, ...call })
    return { items: items.map((convoy) => ({ ...convoy, progress: known[convoy.id] })), total, next }
  },
  actionsOf: ({ id, title }) => [closeConvoy(id, title)],
  actions: () => [newConvoy],
})

const closeConvoy = (id: string, title: string): Action => ({
  key: 'x',
  name: 'close',
  help: 'close the convoy; its beads stay as they are',
  confirm: `Close the convoy ${id} (${title})? Its beads stay as they are.`,
  run: async ({ city }) => {
    await city.call('POST ~/convoy/{id}/close', { params: { id } })
    return { text: `${id} is closed` }
  },
})

const newConvoy: Action = {
  key: 'n',
  name: 'convoy-new',
  help: 'make a convoy of beads',
  fields: [
    { name: 'title', title: 'title' },
    { name: 'beads', title: 'ids of its beads, with blanks between' },
  ],
  run: async ({ city }, { title = '', beads = '' }) => {
    const { id } = await city.call('POST ~/convoys', { body: { title, items: beads.split(/\s+/).filter(Boolean) } })
    return { text: `${id} is made`, opens: { page: 'convoy', city: city.name, subject: id } }
  },
}

/** One convoy with its beads. */
export const convoyPage = table<Bead>({
  name: 'convoy',
  about: 'convoy',
  title: 'beads of the convoy',
  help: 'a convoy with its beads',
  empty: 'it has no beads: gc convoy add CONVOY BEAD adds one',
  columns: beadColumns,
  idOf: ({ id }) => id,
  isChangedBy: isOneOf('convoy.', 'bead.'),
  opens: ({ id }, city) => ({ page: 'bead', city, subject: id }),
  load: async ({ city, subject: id, signal }) => {
    const call = { params: { id }, ...(signal && { signal }) }
    const { convoy, children = [], progress } = await city.call('GET ~/convoy/{id}', call)
    const facts = [convoy?.status, progress && `${progress.closed} of ${progress.total} done`].filter(Boolean)
    const head: Line[] = [
      { text: convoy?.title ?? id, tone: 'strong' },
      { text: facts.join(' · '), tone: toneOf(convoy?.status ?? '') },
    ]
    const isOpen = convoy !== undefined && convoy.status !== 'closed'
    return { ...whole(children), head, actions: isOpen ? [closeConvoy(id, convoy.title)] : [] }
  },
  actionsOf: (bead) => beadActions(bead).filter(({ key }) => key !== 'x'),
})
