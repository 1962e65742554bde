import type { Action } from './page.ts'

/** Gives an agent a new piece of work. */
export const slingText = (agent?: string): Action => ({
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

const VARS = { name: 'vars', title: 'variables: NAME=VALUE, with commas between', isOptional: true }

/** Gives a bead to an agent, with a formula or without. */
export const slingBead = (bead: string, disabled: string | undefined): Action => ({
  key: 's',
  name: 'sling-bead',
  help: 'give it to an agent, with a formula or without',
  disabled,
  fields: [
    { name: 'target', title: `agent for ${bead}` },
    { name: 'formula', title: 'formula to do it by (empty for that of the agent)', isOptional: true },
    VARS,
  ],
  run: async ({ city }, { target = '', formula = '', vars = '' }) => {
    const how = formula === '' ? { bead } : { formula, attached_bead_id: bead }
    await city.call('POST ~/sling', { body: { target, ...how, ...parseVars(vars) } })
    return { text: `${bead} is slung to ${target}${formula && ` by ${formula}`}` }
  },
})

/** Begins a run of a formula. */
export const slingFormula = (formula?: string): Action => ({
  key: 'n',
  name: formula === undefined ? 'sling-formula' : 'run',
  help: formula === undefined ? 'begin a run of a formula' : 'begin a run of it',
  fields: [
    ...(formula === undefined ? [{ name: 'formula', title: 'formula' }] : []),
    { name: 'target', title: 'agent' },
    { name: 'bead', title: 'bead it is for (empty for a run of its own)', isOptional: true },
    VARS,
  ],
  run: async ({ city }, { formula: named = '', target = '', bead = '', vars = '' }) => {
    const body = { target, formula: formula ?? named, ...(bead && { attached_bead_id: bead }), ...parseVars(vars) }
    await city.call('POST ~/sling', { body })
    return { text: `a run of ${body.formula} begins`, opens: { page: 'runs', city: city.name, subject: '' } }
  },
})

/** The variables of a formula as they are typed: `COAT=two, colour=blue`. */
export function parseVars(text: string): { vars?: Record<string, string> } {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '')
  if (pairs.length === 0) return {}
  return { vars: Object.fromEntries(pairs.map(parsePair)) }
}

function parsePair(pair: string): [string, string] {
  const at = pair.indexOf('=')
  if (at < 1) throw new Error(`"${pair.trim()}" is no variable: write NAME=VALUE, with commas between`)
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
}
