import type { Output } from '../../src/client/operations.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import { beadActions } from './bead-actions.ts'
import { beadColumns } from './beads.ts'
import { addBeads, closeConvoy, newConvoy } from './convoy-actions.ts'
import { copy } from './copy.ts'
import { doneLine, doneOf } from './figures.ts'
import { type Action, isOneOf, type Line, table, whole } from './page.ts'
import { toneOf } from './tones.ts'

type Progress = Output<'GET ~/convoys/progress'>['convoys'][string]

/** A convoy with how many of its beads are closed. */
type Listed = Bead & { readonly progress?: Progress | undefined }

const PAGE = 200

/** True if gc made the convoy for one bead that was slung. */
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
    { title: 'done', width: 7, cell: ({ progress }) => (progress ? doneOf(progress.closed, progress.total) : '') },
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
  actionsOf: ({ id, title, status }) => [...convoyActions(id, title, status), copy('y', 'copy', 'its id', id)],
  actions: () => [newConvoy],
})

/** One convoy with its beads. */
export const convoyPage = table<Bead>({
  name: 'convoy',
  about: 'convoy',
  title: 'beads of the convoy',
  help: 'a convoy with its beads',
  empty: 'it has no beads: gc convoy add CONVOY BEAD adds one',
  columns: Object.values(beadColumns),
  idOf: ({ id }) => id,
  isChangedBy: isOneOf('convoy.', 'bead.'),
  opens: ({ id }, city) => ({ page: 'bead', city, subject: id }),
  load: async ({ city, subject: id, signal }) => {
    const call = { params: { id }, ...(signal && { signal }) }
    const { convoy, children = [], progress } = await city.call('GET ~/convoy/{id}', call)
    const head: Line[] = [
      { text: convoy?.title ?? id, tone: 'strong' },
      { text: convoy?.status ?? '', tone: toneOf(convoy?.status) },
      ...(progress ? doneLine(progress.closed, progress.total) : []),
    ]
    const copyId = copy('Y', 'copy-convoy', 'the id of the convoy', id)
    const actions = convoy ? [...convoyActions(id, convoy.title, convoy.status), copyId] : []
    return { ...whole(children), head, actions }
  },
  actionsOf: (bead) => beadActions(bead).filter(({ key }) => key !== 'x'),
})

const convoyActions = (id: string, title: string, status: string): Action[] => [
  closeConvoy(id, title, status === 'closed'),
  addBeads(id, status === 'closed'),
]
