import type { Bead } from '../../src/work/beads/index.ts'
import { attachTo } from './attach.ts'
import { change, changeLabels } from './bead-changes.ts'
import { joinConvoy } from './convoy-actions.ts'
import { copy } from './copy.ts'
import type { Action } from './page.ts'
import { slingBead } from './sling-actions.ts'

/** The actions on a bead. */
export function beadActions(bead: Bead): Action[] {
  const { id, title, status, assignee = '', labels = [] } = bead
  const isClosed = status === 'closed'
  const closed = isClosed ? `${id} is closed; r reopens it` : undefined
  return [
    { ...close(id, title, status === 'in_progress' ? assignee : ''), disabled: closed, many: {} },
    { ...reopen(id, title), disabled: isClosed ? undefined : `${id} is not closed`, many: {} },
    slingBead(id, closed),
    editTitle(bead),
    editDescription(bead),
    { ...setPriority(bead), disabled: closed },
    { ...assign(bead), disabled: closed },
    labelBead(id),
    comment(id),
    { ...unpark(id), disabled: labels.includes('gc:parked') ? undefined : `${id} is not parked`, many: {} },
    joinConvoy(id),
    attachTo(assignee, `no session works on ${id}`),
    copy('y', 'copy', 'its id', id),
  ]
}

const editTitle = (bead: Bead): Action => ({
  key: 'e',
  name: 'edit',
  help: 'change its title',
  fields: [{ name: 'title', title: `title of ${bead.id}`, initial: bead.title }],
  run: (reach, values) => change(reach, bead, 'title', values.title ?? bead.title),
})

const editDescription = (bead: Bead): Action => ({
  key: 'd',
  name: 'describe',
  help: 'change its description',
  fields: [
    {
      ...{ name: 'description', title: `description of ${bead.id}`, initial: bead.description ?? '' },
      ...{ isOptional: true, isLong: true },
    },
  ],
  run: (reach, values) => change(reach, bead, 'description', values.description ?? ''),
})

const setPriority = (bead: Bead): Action => ({
  key: 'm',
  name: 'priority',
  help: 'change its priority: 0 is the most urgent, 4 the least',
  fields: [{ name: 'priority', title: `priority of ${bead.id}: 0 to 4`, initial: String(bead.priority ?? '') }],
  many: { fields: [{ name: 'priority', title: 'priority of all of them: 0 to 4' }] },
  run: (reach, values) => change(reach, bead, 'priority', parsePriority(values.priority ?? '')),
})

const assign = (bead: Bead): Action => ({
  key: 'A',
  name: 'assign',
  help: 'assign it to a session, or unassign it',
  fields: [
    {
      ...{ name: 'assignee', title: `session for ${bead.id} (empty to unassign)` },
      ...{ initial: bead.assignee ?? '', isOptional: true },
    },
  ],
  many: { fields: [{ name: 'assignee', title: 'session for all of them (empty to unassign)', isOptional: true }] },
  run: (reach, values) => change(reach, bead, 'assignee', values.assignee ?? ''),
})

const labelBead = (id: string): Action => ({
  key: 'L',
  name: 'label',
  help: 'add labels to it, or remove some',
  fields: [{ name: 'labels', title: `labels for ${id}: urgent adds one, -urgent removes it` }],
  many: { fields: [{ name: 'labels', title: 'labels for all of them: urgent adds one, -urgent removes it' }] },
  run: (reach, { labels = '' }) => changeLabels(reach, id, labels),
})

const comment = (id: string): Action => ({
  key: 'c',
  name: 'comment',
  help: 'comment on it',
  fields: [{ name: 'text', title: `comment on ${id}`, isLong: true }],
  run: async ({ city }, values) => {
    await city.call('POST ~/bead/{id}/comments', { params: { id }, body: { text: values.text ?? '' } })
    return { text: `commented on ${id}` }
  },
})

const unpark = (id: string): Action => ({
  key: 'p',
  name: 'unpark',
  help: 'offer a parked bead again',
  run: async ({ city }) => {
    await city.call('POST ~/bead/{id}/unpark', { params: { id } })
    return { text: `${id} is offered again` }
  },
})

function parsePriority(value: string): string {
  if (!/^[0-4]$/.test(value.trim())) throw new Error(`"${value}" is not a priority: write a number from 0 to 4`)
  return value.trim()
}

/** Names who works on it now; what somebody else has closed is not this person's to undo. */
const close = (id: string, title: string, worker = ''): Action => ({
  key: 'x',
  name: 'close',
  help: 'close it',
  confirm: `Close ${id} (${title})?${worker && ` ${worker} works on it.`}`,
  run: async ({ city }) => {
    const { status } = await city.call('GET ~/bead/{id}', { params: { id } })
    if (status === 'closed') return { text: `${id} was already closed; nothing changed` }
    await city.call('POST ~/bead/{id}/close', { params: { id } })
    return { text: `${id} is closed`, undo: reopen(id, title) }
  },
})

const reopen = (id: string, title: string): Action => ({
  key: 'r',
  name: 'reopen',
  help: 'reopen it',
  run: async ({ city }) => {
    await city.call('POST ~/bead/{id}/reopen', { params: { id } })
    return { text: `${id} is open again`, undo: close(id, title) }
  },
})

/** Makes a bead. */
export const newBead: Action = {
  key: 'n',
  name: 'new',
  help: 'make a bead',
  fields: [
    { name: 'title', title: 'title' },
    { name: 'description', title: 'description', isOptional: true, isLong: true },
  ],
  run: async ({ city }, { title = '', description = '' }) => {
    const { id } = await city.call('POST ~/beads', { body: { title, ...(description && { description }) } })
    return { text: `${id} is made`, opens: { page: 'bead', city: city.name, subject: id } }
  },
}
