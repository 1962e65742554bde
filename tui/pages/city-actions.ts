import { newBead } from './bead-actions.ts'
import type { Action } from './page.ts'

/** Gives an agent a new piece of work. */
export const slingTo = (agent?: string): Action => ({
  key: 'n',
  name: 'sling',
  help: 'give an agent a new piece of work',
  fields: [
    { name: 'agent', title: 'agent', ...(agent !== undefined && { initial: agent }) },
    { name: 'title', title: 'what is to be done' },
  ],
  run: async ({ city }, { agent: target = '', title = '' }) => {
    const { bead } = await city.call('POST ~/sling/text', { body: { target, title } })
    return { text: `${bead} is slung to ${target}` }
  },
})

/** What can be done by name on every page of a city. */
export const cityActions: readonly Action[] = [slingTo(), newBead]
