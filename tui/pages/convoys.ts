import type { Bead } from '../../src/work/beads/schema.ts'
import { type Action, isOneOf, type Line, table, text } from './page.ts'
import { toneOf } from './tones.ts'

const PAGE = 200

/** Whether gc made the convoy for one bead that was slung. */
const isAutomatic = ({ title, labels, metadata }: Bead): boolean =>
  metadata?.['gc.synthetic'] === 'true' || (title.startsWith('sling-') && !labels?.includes('owned'))

/** The groups of beads that are done together. */
export const convoysPage = table<Bead>({
  name: 'convoys',
  title: 'convoys',
  help: 'groups of beads that are done together',
  empty: 'none: n makes one',
  columns: [
    { title: 'id', width: 10, isName: true, cell: ({ id }) => id },
    { title: 'status', width: 12, cell: ({ status }) => ({ text: status, tone: toneOf(status) }) },
    { title: 'title', width: 16, grows: true, cell: ({ title }) => title },
    { title: 'age', width: 4, cell: ({ created_at }) => ({ since: created_at, tone: 'quiet' }) },
  ],
  idOf: ({ id }) => id,
  isSystem: isAutomatic,
  isChangedBy: isOneOf('convoy.', 'bead.'),
  opens: ({ id }, city) => ({ page: 'convoy', city, subject: id }),
  load: async ({ city, signal }, { cursor }) => {
    const query = { limit: PAGE, ...(cursor && { cursor }) }
    const { items, total, next_cursor: next } = await city.call('GET ~/convoys', { query, ...(signal && { signal }) })
    return { items, total, next }
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
export const convoyPage = text({
  name: 'convoy',
  about: 'convoy',
  title: 'convoy',
  help: 'a convoy with its beads',
  isChangedBy: isOneOf('convoy.', 'bead.'),
  load: async ({ city, subject: id, signal }) => {
    const {
      convoy,
      children = [],
      progress,
    } = await city.call('GET ~/convoy/{id}', {
      params: { id },
      ...(signal && { signal }),
    })
    const done = progress ? `${progress.closed} of ${progress.total} done` : ''
    const lines: Line[] = [
      { text: convoy?.title ?? id, tone: 'strong' },
      { text: [convoy?.status, done].filter(Boolean).join(' · '), tone: toneOf(convoy?.status ?? '') },
      { text: '' },
      ...children.map((bead) => ({ text: beadLine(bead), tone: toneOf(bead.status) })),
    ]
    return { lines, actions: convoy && convoy.status !== 'closed' ? [closeConvoy(id, convoy.title)] : [] }
  },
})

const beadLine = ({ id, status, title, assignee }: Bead): string =>
  `${id.padEnd(12)}${status.padEnd(13)}${title}${assignee ? ` · ${assignee}` : ''}`
