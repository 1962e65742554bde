import type { Action, Outcome } from './page.ts'

const idsIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

const reopen =
  (id: string): Action['run'] =>
  async ({ city }) => {
    await city.call('POST ~/bead/{id}/reopen', { params: { id } })
    return { text: `${id} is open again` }
  }

/** Closes a convoy; its beads stay as they are. */
export const closeConvoy = (id: string, title: string, isClosed: boolean): Action => ({
  key: 'x',
  name: 'close',
  help: 'close the convoy; its beads stay as they are',
  disabled: isClosed ? `${id} is closed` : undefined,
  confirm: `Close the convoy ${id} (${title})? Its beads stay as they are.`,
  run: async ({ city }) => {
    await city.call('POST ~/convoy/{id}/close', { params: { id } })
    return { text: `${id} is closed`, undo: { name: 'reopen', run: reopen(id) } }
  },
})

/** Makes a convoy of beads. */
export const newConvoy: Action = {
  key: 'n',
  name: 'convoy-new',
  help: 'make a convoy of beads',
  fields: [
    { name: 'title', title: 'title' },
    { name: 'beads', title: 'ids of its beads, with blanks between' },
  ],
  run: async ({ city }, { title = '', beads = '' }) => {
    const { id } = await city.call('POST ~/convoys', { body: { title, items: idsIn(beads) } })
    return { text: `${id} is made`, opens: { page: 'convoy', city: city.name, subject: id } }
  },
}

/** Adds beads to a convoy. */
export const addBeads = (convoy: string, isClosed: boolean): Action => ({
  key: 'i',
  name: 'add',
  help: 'add beads to the convoy',
  disabled: isClosed ? `${convoy} is closed` : undefined,
  fields: [{ name: 'beads', title: `ids of beads for ${convoy}, with blanks between` }],
  run: (reach, { beads = '' }) => add(reach, convoy, idsIn(beads)),
})

/** Adds a bead to a convoy. */
export const joinConvoy = (bead: string): Action => ({
  key: 'V',
  name: 'convoy-add',
  help: 'add it to a convoy',
  fields: [{ name: 'convoy', title: `convoy for ${bead}` }],
  many: { fields: [{ name: 'convoy', title: 'convoy for all of them' }] },
  run: (reach, { convoy = '' }) => add(reach, convoy, [bead]),
})

async function add({ city }: Parameters<Action['run']>[0], id: string, items: string[]): Promise<Outcome> {
  await city.call('POST ~/convoy/{id}/add', { params: { id }, body: { items } })
  const undo: Action['run'] = async (reach) => {
    await reach.city.call('POST ~/convoy/{id}/remove', { params: { id }, body: { items } })
    return { text: `${items.join(', ')} is in ${id} no more` }
  }
  return { text: `${items.join(', ')} is in ${id}`, undo: { name: 'remove', run: undo } }
}
