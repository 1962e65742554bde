import type { CityClient } from '../../src/client/client.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import { copy } from './copy.ts'
import type { Action } from './page.ts'
import { slingBead } from './sling-actions.ts'

/** Everything that can be done to a bead. */
export function beadActions({ id, title, status, assignee = '', labels = [], description, priority }: Bead): Action[] {
  const isClosed = status === 'closed'
  const closed = isClosed ? `${id} is closed; r reopens it` : undefined
  return [
    isClosed ? reopen(id) : close(id, title),
    slingBead(id, closed),
    {
      key: 'e',
      name: 'edit',
      help: 'change its title',
      fields: [{ name: 'title', title: `title of ${id}`, initial: title }],
      run: async ({ city }, values) => {
        await city.call('PATCH ~/bead/{id}', { params: { id }, body: { title: values.title ?? title } })
        const undo: Action['run'] = async (reach) => {
          await reach.city.call('PATCH ~/bead/{id}', { params: { id }, body: { title } })
          return { text: `${id} has its old title again` }
        }
        return { text: `${id} has a new title`, undo: { name: 'edit', run: undo } }
      },
    },
    {
      key: 'd',
      name: 'describe',
      help: 'change its description',
      fields: [
        {
          name: 'description',
          title: `description of ${id}`,
          initial: description ?? '',
          isOptional: true,
          isLong: true,
        },
      ],
      run: async ({ city }, values) => {
        const set = (text: string) => ({ params: { id }, body: { description: text } })
        await city.call('PATCH ~/bead/{id}', set(values.description ?? ''))
        const undo: Action['run'] = async (reach) => {
          await reach.city.call('PATCH ~/bead/{id}', set(description ?? ''))
          return { text: `${id} has its old description again` }
        }
        return { text: `${id} has a new description`, undo: { name: 'describe', run: undo } }
      },
    },
    {
      key: 'm',
      name: 'priority',
      help: 'change its priority: 0 is the most urgent, 4 the least',
      disabled: closed,
      fields: [{ name: 'priority', title: `priority of ${id}: 0 to 4`, initial: String(priority ?? '') }],
      run: async ({ city }, values) => {
        const next = Number(values.priority)
        if (!Number.isInteger(next)) throw new Error(`"${values.priority}" is no priority: write a number from 0 to 4`)
        await city.call('PATCH ~/bead/{id}', { params: { id }, body: { priority: next } })
        const text = `${id} has priority ${next}`
        if (priority === undefined) return { text }
        const undo: Action['run'] = async (reach) => {
          await reach.city.call('PATCH ~/bead/{id}', { params: { id }, body: { priority } })
          return { text: `${id} has its old priority again` }
        }
        return { text, undo: { name: 'priority', run: undo } }
      },
    },
    {
      key: 'A',
      name: 'assign',
      help: 'assign it to a session, or to nobody',
      disabled: closed,
      fields: [
        { name: 'assignee', title: `session for ${id} (empty for nobody)`, initial: assignee, isOptional: true },
      ],
      run: async ({ city }, values) => {
        const next = values.assignee ?? ''
        await assign(city, id, next)
        const undo: Action['run'] = async (reach) => {
          await assign(reach.city, id, assignee)
          return { text: `${id} is assigned to ${assignee || 'nobody'} again` }
        }
        return { text: `${id} is assigned to ${next || 'nobody'}`, undo: { name: 'assign', run: undo } }
      },
    },
    {
      key: 'c',
      name: 'comment',
      help: 'comment on it',
      fields: [{ name: 'text', title: `comment on ${id}`, isLong: true }],
      run: async ({ city }, values) => {
        await city.call('POST ~/bead/{id}/comments', { params: { id }, body: { text: values.text ?? '' } })
        return { text: `commented on ${id}` }
      },
    },
    {
      key: 'p',
      name: 'unpark',
      help: 'offer a parked bead again',
      disabled: labels.includes('gc:parked') ? undefined : `${id} is not parked`,
      run: async ({ city }) => {
        await city.call('POST ~/bead/{id}/unpark', { params: { id } })
        return { text: `${id} is offered again` }
      },
    },
    copy('y', 'copy', 'its id', id),
  ]
}

const assign = (city: CityClient, id: string, assignee: string) =>
  city.call('POST ~/bead/{id}/assign', { params: { id }, body: { assignee } })

const close = (id: string, title: string): Action => ({
  key: 'x',
  name: 'close',
  help: 'close it',
  confirm: `Close ${id} (${title})?`,
  run: async ({ city }) => {
    await city.call('POST ~/bead/{id}/close', { params: { id } })
    return { text: `${id} is closed`, undo: reopen(id) }
  },
})

const reopen = (id: string): Action => ({
  key: 'r',
  name: 'reopen',
  help: 'reopen it',
  run: async ({ city }) => {
    await city.call('POST ~/bead/{id}/reopen', { params: { id } })
    return { text: `${id} is open again` }
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
