import { launchRun } from './launch.ts'
import type { Action } from './page.ts'

/** Gives an agent a new piece of work. */
export const slingText = (agent?: string): Action => ({
  key: 'n',
  name: 'sling',
  help: 'give an agent a new piece of work',
  fields: [
    { name: 'agent', title: 'agent', names: 'agent', ...(agent !== undefined && { initial: agent }) },
    { name: 'title', title: 'task' },
  ],
  run: async ({ city }, { agent: target = '', title = '' }) => {
    const { bead } = await city.call('POST ~/sling/text', { body: { target, title } })
    return { text: `${bead} is slung to ${target}` }
  },
})

/** Gives a bead to an agent, with a formula or without. */
export const slingBead = (bead: string, disabled: string | undefined): Action => ({
  key: 's',
  name: 'sling-bead',
  help: 'give it to an agent, with a formula or without',
  disabled,
  fields: [
    { name: 'target', title: `agent for ${bead}`, names: 'agent' },
    { name: 'formula', title: 'formula to do it by (empty for that of the agent)', isOptional: true, names: 'formula' },
  ],
  asksMore: true,
  many: { fields: [{ name: 'target', title: 'agent for all of them' }] },
  run: async (reach, { target = '', formula = '' }) => {
    if (formula !== '') return launchRun(reach, { formula, target, bead })
    await reach.city.call('POST ~/sling', { body: { target, bead } })
    return { text: `${bead} is slung to ${target}` }
  },
})

/** Begins a run of a formula. */
export const slingFormula = (formula?: string): Action => ({
  key: 'n',
  name: formula === undefined ? 'sling-formula' : 'run',
  help: formula === undefined ? 'begin a run of a formula' : 'begin a run of it',
  fields: [
    ...(formula === undefined ? [{ name: 'formula', title: 'formula', names: 'formula' } as const] : []),
    { name: 'target', title: 'agent', names: 'agent' },
    { name: 'bead', title: 'bead it is for (empty for a run of its own)', isOptional: true, names: 'bead' },
  ],
  asksMore: true,
  run: (reach, { formula: named = '', target = '', bead = '' }) =>
    launchRun(reach, { formula: formula ?? named, target, bead }),
})
